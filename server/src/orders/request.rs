//! From what was sent to what it means: JSON or form fields → checked fields → the canonical request whose digest is the key's.
//!
//! Two requests mean the same when they order the same pieces of the same products for the same receiver, however they are
//! written: field order, white space, escapes, line order, JSON or form, composed or decomposed letters do not count.

mod field;
mod form;
mod json;

pub use field::{RawField, clean_text, optional_text, required_text};
pub use form::{FormFields, FormLineFields, form_pairs};
pub use json::raw;

use crate::{idempotency::Digest, tokens::is_sku};
use app::{
    pages::data::{FieldError, FieldErrorCode},
    pricing::{MAX_LINES, MAX_PIECES_PER_LINE},
};
use field::phone_number;
use serde::Serialize;
use std::collections::BTreeMap;

/// Most characters of each text.
pub const MAXIMUM_NAME: usize = 64;
/// Most characters of a telephone number as typed.
pub const MAXIMUM_PHONE: usize = 40;
/// Most characters of an address.
pub const MAXIMUM_ADDRESS: usize = 200;
/// Most characters of a note.
pub const MAXIMUM_NOTE: usize = 500;
/// Most characters of a coupon code.
pub const MAXIMUM_COUPON: usize = 32;

/// What is ordered, and for whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderRequest {
    /// Pieces by SKU: every product once, in the order of their SKUs, which is also the order in which stock is locked.
    pub lines: BTreeMap<String, i64>,
    /// Coupon code in capital letters.
    pub coupon: Option<String>,
    /// Receiver's name.
    pub name: String,
    /// Receiver's telephone number.
    pub phone: String,
    /// Receiver's address.
    pub address: String,
    /// Note to the shop; empty for none.
    pub note: String,
}

/// What the sender expects to pay. Not part of the meaning: it only holds back an order whose price has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    /// Total in fen.
    pub total_fen: Option<i64>,
    /// Price of one piece in fen, by SKU, as the form showed it.
    pub unit_prices_fen: BTreeMap<String, i64>,
}

/// Why a request cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestError {
    /// It cannot be read at all; the text says why.
    Malformed(String),
    /// Fields need correcting.
    Fields(Vec<FieldError>),
}

/// The request before its fields are checked, whatever it was written in.
#[derive(Debug, Default)]
struct RawOrder {
    lines: Option<Vec<RawLine>>,
    name: RawField,
    phone: RawField,
    address: RawField,
    coupon: RawField,
    note: RawField,
    expected_total_fen: RawField,
}

#[derive(Debug)]
struct RawLine {
    sku: RawField,
    quantity: RawField,
    unit_price_fen: RawField,
}

impl OrderRequest {
    /// Reads the JSON body of the API.
    pub fn from_json(body: &[u8]) -> Result<(Self, Expectation), RequestError> {
        check(json::read(body)?)
    }

    /// Takes the fields of the form.
    pub fn from_form(fields: &FormFields) -> Result<(Self, Expectation), RequestError> {
        check(fields.to_raw())
    }

    /// The digest of what the request means.
    pub fn digest(&self) -> Result<Digest, serde_json::Error> {
        #[derive(Serialize)]
        struct Meaning<'a> {
            lines: &'a BTreeMap<String, i64>,
            coupon: Option<&'a str>,
            name: String,
            phone: String,
            address: String,
            note: String,
        }
        Digest::of(
            crate::tokens::PLACE_ORDER,
            &Meaning {
                lines: &self.lines,
                coupon: self.coupon.as_deref(),
                name: field::composed(&self.name),
                phone: field::composed(&self.phone),
                address: field::composed(&self.address),
                note: field::composed(&self.note),
            },
        )
    }
}

fn check(raw: RawOrder) -> Result<(OrderRequest, Expectation), RequestError> {
    let mut errors = Vec::new();
    let (lines, unit_prices_fen) = check_lines(raw.lines, &mut errors);
    let coupon = optional_text("coupon", raw.coupon, MAXIMUM_COUPON, &mut errors);
    let name = required_text("name", raw.name, MAXIMUM_NAME, &mut errors);
    let phone = phone_number("phone", raw.phone, MAXIMUM_PHONE, &mut errors);
    let address = required_text("address", raw.address, MAXIMUM_ADDRESS, &mut errors);
    let note = optional_text("note", raw.note, MAXIMUM_NOTE, &mut errors);
    let total_fen = optional_amount("expected_total_fen".to_owned(), &raw.expected_total_fen, &mut errors);
    if !errors.is_empty() {
        return Err(RequestError::Fields(errors));
    }
    let coupon = Some(coupon.to_uppercase()).filter(|code| !code.is_empty());
    Ok((
        OrderRequest {
            lines,
            coupon,
            name,
            phone,
            address,
            note,
        },
        Expectation {
            total_fen,
            unit_prices_fen,
        },
    ))
}

type Lines = (BTreeMap<String, i64>, BTreeMap<String, i64>);

fn check_lines(raw: Option<Vec<RawLine>>, errors: &mut Vec<FieldError>) -> Lines {
    let mut lines = BTreeMap::<String, i64>::new();
    let mut prices = BTreeMap::new();
    let raw = raw.unwrap_or_default();
    if raw.is_empty() {
        errors.push(FieldError {
            field: "items".to_owned(),
            code: FieldErrorCode::Required,
        });
    }
    if raw.len() > MAX_LINES {
        let code = FieldErrorCode::TooManyLines { maximum: MAX_LINES };
        errors.push(FieldError {
            field: "items".to_owned(),
            code,
        });
        return (lines, prices);
    }
    for (index, line) in raw.into_iter().enumerate() {
        let field = |name: &str| format!("items[{index}].{name}");
        let sku = match line.sku {
            RawField::Text(sku) if is_sku(&sku) => Some(sku),
            RawField::Missing => {
                errors.push(FieldError {
                    field: field("sku"),
                    code: FieldErrorCode::Required,
                });
                None
            }
            _ => {
                errors.push(FieldError {
                    field: field("sku"),
                    code: FieldErrorCode::NotASku,
                });
                None
            }
        };
        let price = optional_amount(field("unit_price_fen"), &line.unit_price_fen, errors);
        let quantity = line
            .quantity
            .whole_number()
            .filter(|quantity| (1..=MAX_PIECES_PER_LINE).contains(quantity));
        // The maximum holds for the sum of a product's lines, and the sum cannot overflow: both parts are below it.
        let sum = quantity.map(|quantity| quantity + sku.as_ref().and_then(|sku| lines.get(sku)).copied().unwrap_or(0));
        match (sku, sum.filter(|sum| *sum <= MAX_PIECES_PER_LINE)) {
            (Some(sku), Some(sum)) => {
                if let Some(price) = price {
                    prices.insert(sku.clone(), price);
                }
                lines.insert(sku, sum);
            }
            (_, None) => {
                let code = FieldErrorCode::NotAQuantity {
                    maximum: MAX_PIECES_PER_LINE,
                };
                errors.push(FieldError {
                    field: field("qty"),
                    code,
                });
            }
            (None, Some(_)) => {}
        }
    }
    (lines, prices)
}

fn optional_amount(field: String, raw: &RawField, errors: &mut Vec<FieldError>) -> Option<i64> {
    if matches!(raw, RawField::Missing) {
        return None;
    }
    let amount = raw.whole_number().filter(|amount| *amount >= 0);
    if amount.is_none() {
        errors.push(FieldError {
            field,
            code: FieldErrorCode::NotAnAmount,
        });
    }
    amount
}

#[cfg(test)]
mod tests;
