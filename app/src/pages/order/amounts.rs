//! What the order costs, what was paid and what went back.

use crate::{
    pages::{data::OrderPage, parts::price},
    pricing::format_yuan,
    texts::Texts,
};
use leptos::prelude::*;

/// The part `amounts`.
pub fn view(texts: Texts, page: &OrderPage) -> AnyView {
    let order = &page.order.order;
    let code = page.coupon.clone().map(|coupon| {
        view! {
            <div>
                <dt>{texts.get("order-coupon")}</dt>
                <dd>{coupon}</dd>
            </div>
        }
    });
    view! {
        <div data-live="amounts">
            <section class="card" aria-labelledby="amounts-heading">
                <h2 id="amounts-heading">{texts.get("order-amounts")}</h2>
                <dl class="amounts">
                    {code}
                    <div>
                        <dt>{texts.get("summary-subtotal")}</dt>
                        <dd>{price(texts, order.subtotal_fen)}</dd>
                    </div>
                    {if_any(order.discount_fen, texts.get("summary-discount"), "discount", minus(texts, order.discount_fen))}
                    <div class="total">
                        <dt>{texts.get("summary-total")}</dt>
                        <dd id="total">{price(texts, order.total_fen)}</dd>
                    </div>
                    {movements(texts, page)}
                </dl>
            </section>
        </div>
    }
    .into_any()
}

/// What has moved so far: nothing, for an order that was only placed.
fn movements(texts: Texts, page: &OrderPage) -> AnyView {
    let order = &page.order;
    let (paid, refunded) = (order.paid_fen, order.refunded_fen);
    // What went back is part of what was asked back.
    let asked = order.refund_asked_fen - refunded;
    view! {
        {if_any(paid, texts.get("amount-paid"), "paid", price(texts, paid))}
        {if_any(asked, texts.get("amount-refund-asked"), "refund-asked", minus(texts, asked))}
        {if_any(refunded, texts.get("amount-refunded"), "refunded", minus(texts, refunded))}
    }
    .into_any()
}

fn minus(texts: Texts, fen: i64) -> String {
    texts.with("minus-price", &[("amount", format_yuan(fen).into())])
}

fn if_any(fen: i64, label: String, id: &'static str, amount: String) -> Option<AnyView> {
    (fen > 0).then(|| {
        view! {
            <div>
                <dt>{label}</dt>
                <dd id=id>{amount}</dd>
            </div>
        }
        .into_any()
    })
}
