//! What was ordered and who receives it: fixed when the order was placed, so no live part.

use crate::{
    pages::{data::OrderPage, parts::price},
    pricing::format_yuan,
    texts::Texts,
    wire::OrderLine,
};
use leptos::prelude::*;

/// The lines.
pub fn items(texts: Texts, lines: &[OrderLine], products: &[(String, String)]) -> AnyView {
    let rows: Vec<_> = lines
        .iter()
        .enumerate()
        .map(|(index, line)| {
            // A product whose name the server no longer knows still has its SKU.
            let (name, picture) = products
                .get(index)
                .cloned()
                .unwrap_or_else(|| (line.sku.clone(), String::new()));
            let picture = (!picture.is_empty())
                .then(|| view! { <img class="picture small" src=picture alt="" width="56" height="56" /> });
            let pieces = [
                ("count", line.qty.into()),
                ("amount", format_yuan(line.unit_price_fen).into()),
            ];
            view! {
                <li class="line" data-sku=line.sku.clone()>
                    {picture}
                    <div class="line-text">
                        <strong>{name}</strong>
                        <span class="quiet-text">{texts.with("order-pieces", &pieces)}</span>
                    </div>
                    <span class="price">{price(texts, line.line_total_fen)}</span>
                </li>
            }
        })
        .collect();
    view! {
        <section class="card" aria-labelledby="items-heading">
            <h2 id="items-heading">{texts.get("order-items")}</h2>
            <ul class="lines">{rows}</ul>
        </section>
    }
    .into_any()
}

/// Name, telephone, address and note.
pub fn receiver(texts: Texts, page: &OrderPage) -> AnyView {
    let note = (!page.note.is_empty()).then(|| {
        view! {
            <p class="quiet-text">{texts.get("order-note")}</p>
            <p id="receiver-note">{page.note.clone()}</p>
        }
    });
    view! {
        <section class="card" aria-labelledby="receiver-heading">
            <h2 id="receiver-heading">{texts.get("order-receiver")}</h2>
            <address>
                <strong id="receiver-name">{page.name.clone()}</strong>
                <span id="receiver-phone">{page.phone.clone()}</span>
                <span id="receiver-address">{page.address.clone()}</span>
            </address>
            {note}
        </section>
    }
    .into_any()
}
