//! `/orders/{order_no}`: an order as its owner sees it, and everything that its owner can do with it.
//!
//! Each press is a plain form that names what it wants: it works without the browser's code, and twice is once on the server.
//! What can change while the page is open stands in parts marked `data-live`, which the browser's code replaces one by one from a
//! fresh page. A form is a part of its own, so that nothing else has to wait until the buyer has finished typing in it.

mod amounts;
mod content;
mod head;
mod journal;
mod notice;
mod payment;
mod refunds;
mod steps;
mod surplus;

use super::{data::OrderPage, parts::order_path};
use crate::{islands::OrderLive, texts::Texts};
use leptos::prelude::*;

/// The browser's tab: says first when something is wrong, so that it is heard first.
pub fn title(texts: Texts, page: &OrderPage) -> String {
    let title = texts.with("order-title", &[("order", page.order.order.order_no.as_str().into())]);
    match page.notice {
        Some(_) => texts.with("error-title", &[("title", title.into())]),
        None => title,
    }
}

/// The page.
pub fn view(texts: Texts, page: &OrderPage) -> AnyView {
    let article = article(texts, page);
    view! { <OrderLive>{article}</OrderLive> }.into_any()
}

/// Its address is stated, because the page also stands at the addresses of its forms when one of them is refused.
fn article(texts: Texts, page: &OrderPage) -> AnyView {
    let order = &page.order.order;
    view! {
        <article
            class="order"
            id="order"
            data-order=order.order_no.clone()
            data-path=order_path(&order.order_no)
            data-version=page.version.to_string()
            data-announcement=journal::announcement(texts, page)
        >
            <p class="visually-hidden" id="order-announcement" role="status" aria-live="polite"></p>
            {head::view(texts, page)}
            {notice::view(texts, page)}
            {payment::view(texts, page)}
            {surplus::view(texts, &page.order.surplus)}
            <div class="columns">
                <div class="stack">
                    {content::items(texts, &order.items, &page.products)}
                    {refunds::list(texts, &page.order.refunds)}
                    {journal::view(texts, &page.order.events)}
                </div>
                <div class="stack">
                    {amounts::view(texts, page)}
                    {content::receiver(texts, page)}
                    {steps::view(texts, page)}
                </div>
            </div>
        </article>
    }
    .into_any()
}

/// Where one of the order's forms posts to.
fn action(page: &OrderPage, step: &str) -> String {
    format!("{}/{step}", order_path(&page.order.order.order_no))
}
