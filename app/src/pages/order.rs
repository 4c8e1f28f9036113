//! `/orders/{order_no}`: an order as its owner sees it.

use super::{
    data::OrderPage,
    parts::{order_number, price, status_badge, status_text, time},
};
use crate::{
    pricing::format_yuan,
    texts::Texts,
    wire::{JournalEntry, OrderBody, OrderLine},
};
use leptos::prelude::*;

/// The page.
pub fn view(texts: Texts, page: &OrderPage) -> AnyView {
    let order = &page.order.order;
    view! {
        <article class="order" id="order" data-order=order.order_no.clone()>
            {head(texts, order)}
            <div class="columns">
                <div class="stack">
                    {items(texts, &order.items, &page.products)}
                    {journal(texts, &page.order.events)}
                </div>
                <div class="stack">
                    {amounts(texts, order, page.coupon.clone())}
                    {receiver(texts, page)}
                </div>
            </div>
        </article>
    }
    .into_any()
}

fn head(texts: Texts, order: &OrderBody) -> AnyView {
    let waiting = order.status == "WAIT_PAY";
    let deadline = waiting.then(|| {
        view! {
            <div>
                <dt>{texts.get("order-pay-before")}</dt>
                <dd id="pay-before">{time(texts, &order.pay_before)}</dd>
            </div>
        }
    });
    let thanks = waiting.then(|| view! { <p class="lead">{texts.get("order-thanks")}</p> });
    view! {
        <div class="card order-head">
            <div class="order-head-title">
                <h1>{texts.get("order-heading")}</h1>
                {status_badge(texts, &order.status)}
            </div>
            {thanks}
            <dl class="facts">
                <div>
                    <dt>{texts.get("order-number-label")}</dt>
                    <dd id="order-number">{order_number(&order.order_no)}</dd>
                </div>
                <div>
                    <dt>{texts.get("order-placed-at")}</dt>
                    <dd>{time(texts, &order.created_at)}</dd>
                </div>
                {deadline}
            </dl>
        </div>
    }
    .into_any()
}

fn items(texts: Texts, lines: &[OrderLine], products: &[(String, String)]) -> AnyView {
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

fn amounts(texts: Texts, order: &OrderBody, coupon: Option<String>) -> AnyView {
    let minus = texts.with("minus-price", &[("amount", format_yuan(order.discount_fen).into())]);
    let discount = (order.discount_fen > 0).then(|| {
        view! {
            <div>
                <dt>{texts.get("summary-discount")}</dt>
                <dd>{minus}</dd>
            </div>
        }
    });
    let code = coupon.map(|coupon| {
        view! {
            <div>
                <dt>{texts.get("order-coupon")}</dt>
                <dd>{coupon}</dd>
            </div>
        }
    });
    view! {
        <section class="card" aria-labelledby="amounts-heading">
            <h2 id="amounts-heading">{texts.get("order-amounts")}</h2>
            <dl class="amounts">
                {code}
                <div>
                    <dt>{texts.get("summary-subtotal")}</dt>
                    <dd>{price(texts, order.subtotal_fen)}</dd>
                </div>
                {discount}
                <div class="total">
                    <dt>{texts.get("summary-total")}</dt>
                    <dd id="total">{price(texts, order.total_fen)}</dd>
                </div>
            </dl>
        </section>
    }
    .into_any()
}

fn receiver(texts: Texts, page: &OrderPage) -> AnyView {
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
        <p class="actions">
            <a class="button quiet" href="/">
                {texts.get("order-again")}
            </a>
        </p>
    }
    .into_any()
}

fn journal(texts: Texts, events: &[JournalEntry]) -> AnyView {
    let rows: Vec<_> = events.iter().map(|event| journal_entry(texts, event)).collect();
    view! {
        <section class="card" aria-labelledby="journal-heading">
            <h2 id="journal-heading">{texts.get("order-journal")}</h2>
            <ol class="timeline" id="journal">
                {rows}
            </ol>
        </section>
    }
    .into_any()
}

/// Events and sources without a text show their own names: an older page must not fail on a newer event.
fn journal_entry(texts: Texts, event: &JournalEntry) -> AnyView {
    let what = texts
        .find(&format!("event-{}", event.event))
        .unwrap_or_else(|| event.event.clone());
    let source = texts
        .find(&format!("source-{}", event.source))
        .unwrap_or_else(|| event.source.clone());
    let to = status_text(texts, &event.to);
    let change = match &event.from {
        Some(from) => {
            let change = [("from", status_text(texts, from).into()), ("to", to.into())];
            texts.with("journal-change", &change)
        }
        None => to,
    };
    view! {
        <li data-event=event.event.clone()>
            <strong>{what}</strong>
            <span>{change}</span>
            <span class="quiet-text">
                {time(texts, &event.at)} <span class="by">{texts.with("journal-by", &[("source", source.into())])}</span>
            </span>
        </li>
    }
    .into_any()
}
