//! Every page in every state and both languages: it renders, no text is missing, and what was typed stays text.

mod orders;
mod samples;
mod sandbox_samples;

use super::data::{Frame, Language, OrderForm, Page};
use leptos::{nonce::Nonce, prelude::*};

/// What must come out as text wherever it was typed. U+2028 ends a line in older JavaScript.
const HOSTILE: &[&str] = &[
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "\"><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "l'Atlantique \" \\",
    "line\u{2028}separator",
    "javascript:alert(1)",
];

fn render(language: Language, page: Page) -> String {
    let options = LeptosOptions::builder().output_name("oncemart").build();
    let frame = Frame {
        language,
        return_to: "/order/new?sku=\"><script>".to_owned(),
    };
    super::render(options, frame, page, Nonce::from_value("for-tests"))
}

fn form_page(form: OrderForm) -> String {
    render(Language::English, Page::OrderForm(Box::new(form)))
}

fn form(name: &str) -> OrderForm {
    samples::forms("typed")
        .into_iter()
        .find(|(candidate, _)| candidate == name)
        .unwrap()
        .1
}

/// The opening tags of a page, each with its attributes.
fn tags(html: &str) -> impl Iterator<Item = &str> {
    html.split('<')
        .skip(1)
        .filter_map(|tag| tag.split_once('>').map(|(tag, _)| tag))
}

/// The value of an attribute in an opening tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    tag[start..].split('"').next()
}

/// As a browser reads it.
fn unescaped(text: &str) -> String {
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#x27;", "'");
    text.replace("&amp;", "&")
}

#[test]
fn every_page_renders_in_both_languages_without_a_missing_text() {
    for language in [Language::English, Language::Chinese] {
        for (name, page) in samples::all("typed") {
            let html = render(language, page);
            assert!(!html.contains('⟦'), "{name} in {language:?} lacks a text: {html}");
            assert!(html.starts_with("<!DOCTYPE html><html lang="), "{name}: {html}");
            assert_eq!(html.matches("<h1").count(), 1, "{name} has one main heading");
        }
    }
}

#[test]
fn what_was_typed_stays_text_on_every_page() {
    for typed in HOSTILE {
        for (name, page) in samples::all(typed) {
            let html = render(Language::English, page);
            let scripts = tags(&html).filter(|tag| tag.starts_with("script")).count();
            assert_eq!(
                scripts,
                usize::from(name.starts_with("form-") || name.starts_with("order-")),
                "{name} with {typed}: {html}"
            );
            assert!(!html.contains("<img src=x"), "{name} with {typed}");
            assert!(
                !tags(&html).any(|tag| tag.starts_with("textarea")),
                "{name}: not escaped inside by Leptos 0.8"
            );
        }
    }
}

#[test]
fn every_typed_field_comes_back_as_it_was_typed() {
    for typed in HOSTILE {
        let (_, form) = samples::forms(typed)
            .into_iter()
            .find(|(name, _)| name == "form-typed")
            .unwrap();
        let html = form_page(form);
        for name in ["qty", "sku", "coupon", "name", "phone", "address", "note"] {
            let value = tags(&html)
                .filter(|tag| attribute(tag, "name") == Some(name))
                .filter_map(|tag| attribute(tag, "value"))
                .last();
            assert_eq!(value.map(unescaped).as_deref(), Some(*typed), "field {name}");
        }
        let html = render(Language::English, Page::Order(Box::new(samples::orders::paid(typed))));
        // Name, telephone, address, note, coupon, and the reason of a refund.
        assert_eq!(unescaped(&html).matches(typed).count(), 6, "{html}");
    }
}

#[test]
fn the_first_button_of_the_form_orders_and_only_edits_have_a_name() {
    let html = form_page(form("form-fresh"));
    let inside = &html[html.find("<form id=\"order-form\"").unwrap()..];
    let inside = &inside[..inside.find("</form>").unwrap()];
    let buttons: Vec<_> = tags(inside).filter(|tag| tag.starts_with("button")).collect();
    assert_eq!(attribute(buttons[0], "id"), Some("default-submit"));
    for button in buttons {
        let orders = ["default-submit", "place-order"].contains(&attribute(button, "id").unwrap_or_default());
        let submits = attribute(button, "type") == Some("submit");
        assert_eq!(
            attribute(button, "name"),
            (submits && !orders).then_some("edit"),
            "{button}"
        );
    }
}

#[test]
fn hidden_fields_are_not_filled_in_from_an_earlier_visit() {
    let html = form_page(form("form-typed"));
    let mut hidden = tags(&html).filter(|tag| attribute(tag, "type") == Some("hidden"));
    assert!(
        hidden.all(|tag| attribute(tag, "autocomplete") == Some("off")),
        "{html}"
    );
}

#[test]
fn lines_repeat_sku_price_and_quantity_in_this_order() {
    let html = form_page(form("form-typed"));
    let names: Vec<_> = tags(&html)
        .filter_map(|tag| attribute(tag, "name"))
        .filter(|name| ["sku", "unit_price_fen", "qty"].contains(name))
        .collect();
    assert_eq!(
        names,
        [
            "sku",
            "unit_price_fen",
            "qty",
            "sku",
            "unit_price_fen",
            "qty",
            "sku",
            "qty"
        ]
    );
}

#[test]
fn every_error_is_tied_to_its_field_and_linked_from_the_summary() {
    let html = form_page(form("form-error-required"));
    assert!(html.contains("<title>Error: "), "the tab says so first");
    for id in [
        "add-sku", "qty-0", "qty-1", "coupon", "name", "phone", "address", "note",
    ] {
        let input = tags(&html).find(|tag| attribute(tag, "id") == Some(id)).unwrap();
        let error = format!("{id}-error");
        assert_eq!(attribute(input, "aria-invalid"), Some("true"), "{id}");
        assert!(
            attribute(input, "aria-describedby")
                .unwrap()
                .split(' ')
                .any(|part| part == error),
            "{id}"
        );
        assert!(html.contains(&format!("id=\"{error}\"")), "{id}");
        assert!(html.contains(&format!("href=\"#{id}\"")), "{id}");
    }
}

#[test]
fn the_region_for_messages_is_there_before_there_are_any() {
    let region = |html: &str| {
        let region = tags(html)
            .find(|tag| attribute(tag, "id") == Some("form-messages"))
            .unwrap();
        (
            attribute(region, "role").map(str::to_owned),
            region.contains("autofocus"),
        )
    };
    assert_eq!(
        region(&form_page(form("form-fresh"))),
        (Some("alert".to_owned()), false)
    );
    assert_eq!(
        region(&form_page(form("form-error-required"))),
        (Some("alert".to_owned()), true)
    );
}

#[test]
fn every_id_stands_once() {
    for (name, page) in samples::all("typed") {
        let html = render(Language::Chinese, page);
        let mut ids: Vec<_> = tags(&html).filter_map(|tag| attribute(tag, "id")).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "{name}");
    }
}

#[test]
fn nothing_needs_an_exception_from_the_content_security_policy() {
    for (name, page) in samples::all("typed") {
        let html = render(Language::English, page);
        assert!(
            tags(&html).all(|tag| attribute(tag, "style").is_none()),
            "{name} has a style attribute"
        );
        for tag in tags(&html).filter(|tag| tag.starts_with("script") || tag.contains("modulepreload")) {
            assert!(
                attribute(tag, "nonce").is_some_and(|nonce| !nonce.is_empty()),
                "{name}: {tag}"
            );
        }
    }
}

#[test]
fn only_a_page_that_waits_looks_again_by_itself() {
    for (name, page) in samples::all("typed") {
        let html = render(Language::English, page);
        assert_eq!(html.contains("http-equiv=\"refresh\""), name == "working", "{name}");
    }
}
