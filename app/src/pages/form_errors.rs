//! What is wrong with fields: once in the summary on top, with links, and once at each field.

use super::data::{FieldError, OrderForm};
use crate::texts::Texts;
use leptos::prelude::*;

/// The errors of one form by the id of the field that shows them.
pub struct Errors {
    entries: Vec<Entry>,
}

struct Entry {
    input_id: String,
    text: String,
}

impl Errors {
    /// The errors of this form.
    pub fn of(texts: Texts, form: &OrderForm) -> Self {
        let entries = form.errors.iter().map(|error| Entry {
            input_id: input_id(&error.field),
            text: text(texts, error),
        });
        Self {
            entries: entries.collect(),
        }
    }

    /// What to say at one field: the first error is enough, the next one shows after it is mended.
    pub fn at(&self, input_id: &str) -> Option<String> {
        self.entries
            .iter()
            .find(|entry| entry.input_id == input_id)
            .map(|entry| entry.text.clone())
    }
}

/// The id of the input that a field of the JSON body belongs to. A hidden SKU has no input of its own: its quantity stands in.
pub fn input_id(field: &str) -> String {
    let line = field.strip_prefix("items[").and_then(|rest| rest.split_once(']'));
    match line {
        Some((index, _)) => format!("qty-{index}"),
        None if field == "items" => "add-sku".to_owned(),
        None => field.to_owned(),
    }
}

fn text(texts: Texts, error: &FieldError) -> String {
    let id = format!("field-error-{}", error.code.as_str());
    match error.code.maximum() {
        Some(maximum) => texts.with(&id, &[("maximum", maximum.into())]),
        None => texts.get(&id),
    }
}

/// What the summary calls a field.
fn label(texts: Texts, form: &OrderForm, field: &str) -> String {
    let index = field
        .strip_prefix("items[")
        .and_then(|rest| rest.split_once(']'))
        .map(|(index, _)| index);
    if let Some(line) = index
        .and_then(|index| index.parse::<usize>().ok())
        .and_then(|index| form.lines.get(index))
    {
        let name = line
            .product
            .as_ref()
            .map_or(line.sku.as_str(), |product| product.name.as_str());
        return texts.with("field-quantity", &[("product", name.into())]);
    }
    match field {
        "name" | "phone" | "address" | "note" | "coupon" => texts.get(&format!("form-{field}")),
        _ => texts.get("field-items"),
    }
}

/// The summary, or nothing.
pub fn summary(texts: Texts, form: &OrderForm) -> Option<AnyView> {
    if form.errors.is_empty() {
        return None;
    }
    let heading = texts.with("form-errors-heading", &[("count", form.errors.len().into())]);
    let rows: Vec<_> = form
        .errors
        .iter()
        .map(|error| {
            let line = format!("{}: {}", label(texts, form, &error.field), text(texts, error));
            view! {
                <li>
                    <a href=format!("#{}", input_id(&error.field))>{line}</a>
                </li>
            }
        })
        .collect();
    let view = view! {
        <div class="message bad" id="error-summary">
            <h2>{heading}</h2>
            <ul>{rows}</ul>
        </div>
    };
    Some(view.into_any())
}

/// The error at a field, tied to it by its id.
pub fn at_field(input_id: &str, error: Option<String>) -> Option<AnyView> {
    let id = format!("{input_id}-error");
    error.map(|text| {
        view! {
            <p class="field-error" id=id>
                {text}
            </p>
        }
        .into_any()
    })
}

/// The ids of hint and error, for `aria-describedby`.
pub fn described_by(input_id: &str, has_hint: bool, has_error: bool) -> Option<String> {
    let hint = has_hint.then(|| format!("{input_id}-hint"));
    let error = has_error.then(|| format!("{input_id}-error"));
    let ids: Vec<String> = hint.into_iter().chain(error).collect();
    (!ids.is_empty()).then(|| ids.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_name_leads_to_an_input() {
        assert_eq!(input_id("items[12].qty"), "qty-12");
        assert_eq!(input_id("items[0].sku"), "qty-0");
        assert_eq!(input_id("items"), "add-sku");
        assert_eq!(input_id("phone"), "phone");
    }
}
