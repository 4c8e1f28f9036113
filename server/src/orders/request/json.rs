//! The API's JSON body. A key given twice or unknown is refused; what stands at a key is judged field by field, so that the
//! answer can name every field that needs correcting.

use super::{RawLine, RawOrder, RequestError, field::RawField};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    items: Option<Vec<Item>>,
    name: Option<Value>,
    phone: Option<Value>,
    address: Option<Value>,
    coupon: Option<Value>,
    note: Option<Value>,
    expected_total_fen: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    sku: Option<Value>,
    qty: Option<Value>,
}

pub fn read(body: &[u8]) -> Result<RawOrder, RequestError> {
    // The reader below would also take lists for objects, field by position; nobody means that.
    let shape: Value = serde_json::from_slice(body).map_err(unreadable)?;
    let items_are_objects = shape["items"]
        .as_array()
        .is_none_or(|items| items.iter().all(Value::is_object));
    if !shape.is_object() || !items_are_objects {
        return Err(RequestError::Malformed(
            "The body is not an order: an order and its items are objects.".to_owned(),
        ));
    }
    let body: Body = serde_json::from_slice(body).map_err(unreadable)?;
    let lines = body.items.map(|items| {
        items
            .into_iter()
            .map(|item| RawLine {
                sku: raw(item.sku),
                quantity: raw(item.qty),
                unit_price_fen: RawField::Missing,
            })
            .collect()
    });
    Ok(RawOrder {
        lines,
        name: raw(body.name),
        phone: raw(body.phone),
        address: raw(body.address),
        coupon: raw(body.coupon),
        note: raw(body.note),
        expected_total_fen: raw(body.expected_total_fen),
    })
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives the error away")]
fn unreadable(error: serde_json::Error) -> RequestError {
    RequestError::Malformed(format!("The body is not an order: {error}."))
}

/// What stands at a key of a JSON body.
pub fn raw(value: Option<Value>) -> RawField {
    match value {
        None | Some(Value::Null) => RawField::Missing,
        Some(Value::String(text)) => RawField::Text(text),
        // `1.0` and `1e0` are no whole numbers here: refused, never rounded.
        Some(Value::Number(number)) => number.as_i64().map_or(RawField::Other, RawField::Number),
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => RawField::Other,
    }
}
