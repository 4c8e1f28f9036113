//! From what was sent about money to what it means: JSON of the API, or the order page's forms.

use super::refund::{MAXIMUM_REASON, MAXIMUM_REFUND_NUMBER, RefundRequest};
use crate::{
    channels::ChannelId,
    orders::request::{RawField, RequestError, form_pairs, optional_text, raw, required_text},
};
use app::pages::data::{FieldError, FieldErrorCode};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaymentJson {
    channel: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RefundJson {
    refund_no: Option<Value>,
    amount_fen: Option<Value>,
    reason: Option<Value>,
}

fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, RequestError> {
    let unreadable = |error: serde_json::Error| RequestError::Malformed(format!("The body cannot be read: {error}."));
    let shape: Value = serde_json::from_slice(body).map_err(unreadable)?;
    if !shape.is_object() {
        return Err(RequestError::Malformed("The body is not an object.".to_owned()));
    }
    serde_json::from_slice(body).map_err(unreadable)
}

fn wrong(field: &str, code: FieldErrorCode) -> RequestError {
    RequestError::Fields(vec![FieldError {
        field: field.to_owned(),
        code,
    }])
}

/// The channel that a JSON body names.
pub fn channel_from_json(body: &[u8]) -> Result<ChannelId, RequestError> {
    match raw(read::<PaymentJson>(body)?.channel) {
        RawField::Text(name) => ChannelId::parse(&name).ok_or_else(|| wrong("channel", FieldErrorCode::NotAChannel)),
        RawField::Missing => Err(wrong("channel", FieldErrorCode::Required)),
        RawField::Number(_) | RawField::Other => Err(wrong("channel", FieldErrorCode::NotAText)),
    }
}

/// The channel that the order page's form names.
pub fn channel_from_form(body: &[u8]) -> Result<ChannelId, RequestError> {
    let name = field_of(body, "channel")?.unwrap_or_default();
    ChannelId::parse(&name).ok_or_else(|| wrong("channel", FieldErrorCode::NotAChannel))
}

/// The refund that a JSON body asks for.
pub fn refund_from_json(order_no: &str, body: &[u8]) -> Result<RefundRequest, RequestError> {
    let body: RefundJson = read(body)?;
    let mut errors = Vec::new();
    let refund_no = refund_number(raw(body.refund_no), &mut errors);
    let amount_fen = amount(&raw(body.amount_fen), &mut errors);
    let reason = optional_text("reason", raw(body.reason), MAXIMUM_REASON, &mut errors);
    if !errors.is_empty() {
        return Err(RequestError::Fields(errors));
    }
    Ok(RefundRequest {
        order_no: order_no.to_owned(),
        refund_no,
        amount_fen,
        reason,
    })
}

fn refund_number(raw: RawField, errors: &mut Vec<FieldError>) -> String {
    let before = errors.len();
    let number = required_text("refund_no", raw, MAXIMUM_REFUND_NUMBER, errors);
    // What WeChat Pay takes, which is the narrowest of the channels.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'|' | b'*' | b'@');
    if errors.len() == before && !number.bytes().all(plain) {
        errors.push(FieldError {
            field: "refund_no".to_owned(),
            code: FieldErrorCode::ForbiddenCharacter,
        });
    }
    number
}

fn amount(raw: &RawField, errors: &mut Vec<FieldError>) -> i64 {
    let code = match raw {
        RawField::Number(amount) if *amount > 0 => return *amount,
        RawField::Missing => FieldErrorCode::Required,
        RawField::Number(_) | RawField::Text(_) | RawField::Other => FieldErrorCode::NotAnAmount,
    };
    errors.push(FieldError {
        field: "amount_fen".to_owned(),
        code,
    });
    0
}

/// The refund form as typed, so that the page can show it again.
#[derive(Clone, Debug, Default)]
pub struct RefundForm {
    /// Hidden field `refund_no`.
    pub refund_no: String,
    /// Field `amount`, in yuan.
    pub amount: String,
    /// Field `reason`.
    pub reason: String,
}

impl RefundForm {
    /// Reads the form's fields. Others are passed over.
    pub fn parse(body: &[u8]) -> Result<Self, RequestError> {
        Ok(Self {
            refund_no: field_of(body, "refund_no")?.unwrap_or_default(),
            amount: field_of(body, "amount")?.unwrap_or_default(),
            reason: field_of(body, "reason")?.unwrap_or_default(),
        })
    }

    /// What it asks for.
    pub fn meaning(&self, order_no: &str) -> Result<RefundRequest, RequestError> {
        let mut errors = Vec::new();
        let refund_no = refund_number(RawField::Text(self.refund_no.clone()), &mut errors);
        let fen = fen_of_yuan(&self.amount).map_or(RawField::Other, RawField::Number);
        let amount_fen = amount(&fen, &mut errors);
        let reason = optional_text(
            "reason",
            RawField::Text(self.reason.clone()),
            MAXIMUM_REASON,
            &mut errors,
        );
        if !errors.is_empty() {
            return Err(RequestError::Fields(errors));
        }
        Ok(RefundRequest {
            order_no: order_no.to_owned(),
            refund_no,
            amount_fen,
            reason,
        })
    }
}

/// A typed amount in yuan as fen: exact, never rounded. People type `12`, `12.5`, `¥12.50`.
fn fen_of_yuan(text: &str) -> Option<i64> {
    let text = text.trim().trim_start_matches(['¥', '￥']).trim();
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let yuan = Decimal::from_str_exact(text).ok().filter(|_| plain)?;
    let fen = yuan.checked_mul(Decimal::ONE_HUNDRED)?;
    if fen.fract().is_zero() { fen.to_i64() } else { None }
}

/// The one field of that name; twice is refused.
fn field_of(body: &[u8], wanted: &str) -> Result<Option<String>, RequestError> {
    let mut found = None;
    for pair in form_pairs(body) {
        let (name, value) = pair?;
        if name == wanted && found.replace(value).is_some() {
            return Err(RequestError::Malformed(
                "A field of the form is given twice.".to_owned(),
            ));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_amounts_become_whole_fen_or_nothing() {
        for (text, fen) in [
            ("12", 1_200),
            ("12.5", 1_250),
            (" ¥0.01 ", 1),
            ("19.90", 1_990),
            ("8.800", 880),
        ] {
            assert_eq!(fen_of_yuan(text), Some(fen), "{text}");
        }
        for text in [
            "",
            "1.005",
            "-1",
            "1e3",
            "1,5",
            "abc",
            "0x10",
            "99999999999999999999",
            ".",
        ] {
            assert_eq!(fen_of_yuan(text), None, "{text}");
        }
    }

    #[test]
    fn a_refund_without_a_number_or_an_amount_names_both() {
        let Err(RequestError::Fields(errors)) = refund_from_json("OM", br#"{"amount_fen":"1"}"#) else {
            panic!("it must be refused");
        };
        let fields: Vec<_> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["refund_no", "amount_fen"]);
        for body in [
            r#"{"refund_no":"R","amount_fen":0}"#,
            r#"{"refund_no":"R","amount_fen":1.0}"#,
        ] {
            assert!(
                matches!(refund_from_json("OM", body.as_bytes()), Err(RequestError::Fields(_))),
                "{body}"
            );
        }
        assert!(matches!(refund_from_json("OM", b"[]"), Err(RequestError::Malformed(_))));
        assert!(refund_from_json("OM", br#"{"refund_no":"R-1","amount_fen":1}"#).is_ok());
    }

    #[test]
    fn only_known_channels_are_channels() {
        assert_eq!(channel_from_json(br#"{"channel":"alipay"}"#), Ok(ChannelId::Alipay));
        assert_eq!(channel_from_form(b"channel=wechat"), Ok(ChannelId::Wechat));
        for body in [&b"{}"[..], br#"{"channel":1}"#, br#"{"channel":"cash"}"#] {
            assert!(matches!(channel_from_json(body), Err(RequestError::Fields(_))));
        }
        assert!(matches!(
            channel_from_json(br#"{"channel":"wechat","amount":1}"#),
            Err(RequestError::Malformed(_))
        ));
    }
}
