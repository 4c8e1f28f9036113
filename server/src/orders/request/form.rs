//! The form's fields, kept as typed so that the page can show them again.

use super::{RawLine, RawOrder, RequestError, field::RawField};
use percent_encoding::percent_decode;

/// One line of the form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormLineFields {
    /// Field `sku`.
    pub sku: String,
    /// Field `qty`, as typed.
    pub qty: String,
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

impl FormFields {
    /// Reads `application/x-www-form-urlencoded`. Fields that the form does not have are passed over.
    pub fn parse(body: &[u8]) -> Result<Self, RequestError> {
        let malformed = |text: &str| RequestError::Malformed(text.to_owned());
        let mut fields = Self::default();
        let mut singles = std::collections::HashMap::<String, String>::new();
        let (mut skus, mut quantities, mut prices) = (Vec::new(), Vec::new(), Vec::new());
        for pair in body.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
            let (name, value) = match pair.iter().position(|byte| *byte == b'=') {
                Some(at) => (&pair[..at], &pair[at + 1..]),
                None => (pair, &[][..]),
            };
            let (name, value) = (decode(name)?, decode(value)?);
            match name.as_str() {
                "sku" => skus.push(value),
                "qty" => quantities.push(value),
                "unit_price_fen" => prices.push(value),
                _ => {
                    if singles.insert(name, value).is_some() {
                        return Err(malformed("A field of the form is given twice."));
                    }
                }
            }
        }
        if skus.len() != quantities.len() || !(prices.is_empty() || prices.len() == skus.len()) {
            return Err(malformed("The lines of the form are not complete."));
        }
        let mut prices = prices.into_iter();
        fields.lines = skus
            .into_iter()
            .zip(quantities)
            .map(|(sku, qty)| FormLineFields {
                sku,
                qty,
                unit_price_fen: prices.next(),
            })
            .collect();
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

    /// The fields for checking. An empty optional field is a missing one.
    pub(super) fn to_raw(&self) -> RawOrder {
        let text = |value: &String| RawField::Text(value.clone());
        let lines = self
            .lines
            .iter()
            .map(|line| RawLine {
                sku: text(&line.sku),
                quantity: RawField::digits(&line.qty),
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
