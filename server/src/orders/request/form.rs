//! The form's fields, kept as typed so that the page can show them again.

use super::{RawLine, RawOrder, RequestError, field::RawField};
use percent_encoding::percent_decode;
use std::collections::HashMap;

/// One line of the form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormLineFields {
    /// Field `sku`.
    pub sku: String,
    /// Field `qty`, as typed.
    pub qty: Option<String>,
    /// Field `unit_price_fen`: the price that the page showed, if the form has the field.
    pub unit_price_fen: Option<String>,
}

/// The form as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormFields {
    /// Field `submit_token`.
    pub submit_token: Option<String>,
    /// Fields `sku`, `qty` and `unit_price_fen`, once for each line.
    pub lines: Vec<FormLineFields>,
    /// Field `coupon`.
    pub coupon: String,
    /// Field `name`.
    pub name: String,
    /// Field `phone`.
    pub phone: String,
    /// Field `address`.
    pub address: String,
    /// Field `note`.
    pub note: String,
    /// The button pressed, if it changes the form instead of sending it.
    pub edit: Option<String>,
    /// Field `add_sku`: what the button "add" adds.
    pub add_sku: String,
}

/// The fields of an `application/x-www-form-urlencoded` body, in their order.
pub fn form_pairs(body: &[u8]) -> impl Iterator<Item = Result<(String, String), RequestError>> {
    body.split(|byte| *byte == b'&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = match pair.iter().position(|byte| *byte == b'=') {
                Some(at) => (&pair[..at], &pair[at + 1..]),
                None => (pair, &[][..]),
            };
            Ok((decode(name)?, decode(value)?))
        })
}

impl FormFields {
    /// Reads `application/x-www-form-urlencoded`. Fields that the form does not have are passed over.
    pub fn parse(body: &[u8]) -> Result<Self, RequestError> {
        let mut fields = Self::default();
        let mut singles = HashMap::<String, String>::new();
        for pair in form_pairs(body) {
            let (name, value) = pair?;
            if !fields.take_line_field(&name, &value)? && singles.insert(name, value).is_some() {
                return Err(malformed("A field of the form is given twice."));
            }
        }
        if fields.lines.iter().any(|line| line.qty.is_none()) {
            return Err(malformed("A line of the form has no quantity."));
        }
        fields.submit_token = singles.remove("submit_token");
        fields.edit = singles.remove("edit");
        let mut text = |name| singles.remove(name).unwrap_or_default();
        fields.coupon = text("coupon");
        fields.name = text("name");
        fields.phone = text("phone");
        fields.address = text("address");
        fields.note = text("note");
        fields.add_sku = text("add_sku");
        Ok(fields)
    }

    /// Takes a field that belongs to a line: `sku` begins one, the others belong to the one begun last. False for other fields.
    fn take_line_field(&mut self, name: &str, value: &str) -> Result<bool, RequestError> {
        if name == "sku" {
            self.lines.push(FormLineFields {
                sku: value.to_owned(),
                ..FormLineFields::default()
            });
            return Ok(true);
        }
        let Some(field) = self.lines.last_mut().map(|line| match name {
            "qty" => Some(&mut line.qty),
            "unit_price_fen" => Some(&mut line.unit_price_fen),
            _ => None,
        }) else {
            return if matches!(name, "qty" | "unit_price_fen") {
                Err(malformed("A line of the form has no product."))
            } else {
                Ok(false)
            };
        };
        match field {
            Some(Some(_)) => Err(malformed("A line of the form has a field twice.")),
            Some(empty) => {
                *empty = Some(value.to_owned());
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// The fields for checking. An optional text left empty is checked as an empty text, which is allowed.
    pub(super) fn to_raw(&self) -> RawOrder {
        let text = |value: &String| RawField::Text(value.clone());
        let lines = self
            .lines
            .iter()
            .map(|line| RawLine {
                sku: text(&line.sku),
                quantity: line.qty.as_deref().map_or(RawField::Missing, RawField::digits),
                unit_price_fen: line
                    .unit_price_fen
                    .as_deref()
                    .map_or(RawField::Missing, RawField::digits),
            })
            .collect();
        RawOrder {
            lines: Some(lines),
            name: text(&self.name),
            phone: text(&self.phone),
            address: text(&self.address),
            coupon: text(&self.coupon),
            note: text(&self.note),
            expected_total_fen: RawField::Missing,
        }
    }
}

fn malformed(text: &str) -> RequestError {
    RequestError::Malformed(text.to_owned())
}

fn decode(encoded: &[u8]) -> Result<String, RequestError> {
    let spaced: Vec<u8> = encoded
        .iter()
        .map(|byte| if *byte == b'+' { b' ' } else { *byte })
        .collect();
    percent_decode(&spaced)
        .decode_utf8()
        .map(|text| text.into_owned())
        .map_err(|_| RequestError::Malformed("The form is not encoded in UTF-8.".to_owned()))
}
