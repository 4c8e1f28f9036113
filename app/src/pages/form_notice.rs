//! Why an attempt was not accepted, if it was not for a field: said above the form, with a way to the field that helps.

use super::{
    data::{FormNotice, OrderForm},
    parts::order_path,
};
use crate::texts::Texts;
use leptos::prelude::*;

/// What a notice says.
struct Said {
    kind: &'static str,
    title: String,
    text: String,
    link: Option<(String, String)>,
}

/// Whether the notice tells of an attempt that failed.
pub fn is_refusal(notice: &FormNotice) -> bool {
    !matches!(notice, FormNotice::Edited)
}

/// Name of a product in this form, or its SKU when it is not known.
pub fn product_name(form: &OrderForm, sku: &str) -> String {
    let in_lines = form.lines.iter().filter_map(|line| line.product.as_ref());
    in_lines
        .chain(&form.addable)
        .find(|product| product.sku == sku)
        .map_or_else(|| sku.to_owned(), |product| product.name.clone())
}

/// The notice, or nothing.
pub fn view(texts: Texts, form: &OrderForm) -> Option<AnyView> {
    let notice = form.notice.as_ref()?;
    let said = said(texts, form, notice);
    let link = said.link.map(|(href, text)| view! { <p><a href=href>{text}</a></p> });
    // The order that the form became stays; the input is kept for another one, under a new token.
    let restart = matches!(notice, FormNotice::TokenReused { .. }).then(|| {
        view! {
            <button type="submit" class="quiet" name="edit" value="restart" form="order-form" id="restart">
                {texts.get("became-restart")}
            </button>
        }
    });
    let class = if is_refusal(notice) {
        "message bad"
    } else {
        "message good"
    };
    let view = view! {
        <div class=class id="notice" data-notice=said.kind>
            <h2>{said.title}</h2>
            <p>{said.text}</p>
            {link}
            {restart}
        </div>
    };
    Some(view.into_any())
}

fn said(texts: Texts, form: &OrderForm, notice: &FormNotice) -> Said {
    match notice {
        FormNotice::Refused { slug, sku, available } => refused(texts, form, slug, sku.as_deref(), *available),
        FormNotice::TokenExpired => plain(texts, "token-expired"),
        FormNotice::TokenUnknown => plain(texts, "token-unknown"),
        FormNotice::TokenReused { order_no } => {
            let order = || [("order", order_no.as_str().into())];
            Said {
                kind: "token-reused",
                title: texts.with("notice-token-reused", &order()),
                text: texts.get("notice-token-reused.text"),
                link: Some((order_path(order_no), texts.with("notice-token-reused.link", &order()))),
            }
        }
        FormNotice::TryAgain => plain(texts, "try-again"),
        FormNotice::Edited => plain(texts, "edited"),
    }
}

fn plain(texts: Texts, kind: &'static str) -> Said {
    let id = format!("notice-{kind}");
    Said {
        kind,
        title: texts.get(&id),
        text: texts.get(&format!("{id}.text")),
        link: None,
    }
}

fn refused(texts: Texts, form: &OrderForm, slug: &str, sku: Option<&str>, available: Option<i64>) -> Said {
    let kind = match slug {
        "sold-out" => "sold-out",
        "price-changed" => "price-changed",
        "unknown-product" => "unknown-product",
        "product-off-sale" => "product-off-sale",
        "coupon-not-usable" => "coupon-not-usable",
        _ => "refused",
    };
    let attribute = if kind == "sold-out" && available.is_some() {
        "text-left"
    } else {
        "text"
    };
    // A refusal that names no product speaks of "this product": the form's own.
    let product = product_name(form, sku.unwrap_or(&form.sku));
    let values = [
        ("product", product.into()),
        ("available", available.unwrap_or_default().into()),
    ];
    Said {
        kind,
        title: texts.get(&format!("notice-{kind}")),
        text: texts.with(&format!("notice-{kind}.{attribute}"), &values),
        link: field_to_mend(form, kind, sku).map(|id| (format!("#{id}"), texts.get("notice-go-to-field"))),
    }
}

/// The input that the buyer will want to change.
fn field_to_mend(form: &OrderForm, kind: &str, sku: Option<&str>) -> Option<String> {
    if kind == "coupon-not-usable" {
        return Some("coupon".to_owned());
    }
    let index = form.lines.iter().position(|line| Some(line.sku.as_str()) == sku)?;
    Some(format!("qty-{index}"))
}
