//! `/orders`: what was ordered in this session.

use super::{
    data::OrderSummary,
    parts::{order_number, order_path, price, status_badge, time},
};
use crate::texts::Texts;
use leptos::prelude::*;

/// The page.
pub fn view(texts: Texts, orders: Vec<OrderSummary>) -> AnyView {
    if orders.is_empty() {
        return empty(texts);
    }
    view! {
        <h1>{texts.get("orders-heading")}</h1>
        <p class="lead">{texts.get("orders-intro")}</p>
        <ul class="orders" id="orders">
            {orders.into_iter().map(|order| row(texts, &order)).collect_view()}
        </ul>
    }
    .into_any()
}

fn empty(texts: Texts) -> AnyView {
    view! {
        <h1>{texts.get("orders-heading")}</h1>
        <div class="card empty" id="no-orders">
            <h2>{texts.get("orders-empty")}</h2>
            <p>{texts.get("orders-empty.text")}</p>
            <p class="actions">
                <a class="button" href="/">
                    {texts.get("orders-empty.link")}
                </a>
            </p>
        </div>
    }
    .into_any()
}

fn row(texts: Texts, order: &OrderSummary) -> AnyView {
    let label = texts.with("orders-open", &[("order", order.order_no.as_str().into())]);
    view! {
        <li class="card order-row" data-order=order.order_no.clone()>
            <a href=order_path(&order.order_no) aria-label=label>
                {order_number(&order.order_no)}
            </a>
            {status_badge(texts, &order.status)}
            <span class="quiet-text">{time(texts, &order.created_at)}</span>
            <span class="order-row-total">
                <span class="quiet-text">{texts.with("orders-pieces", &[("count", order.pieces.into())])}</span>
                <span class="price">{price(texts, order.total_fen)}</span>
            </span>
        </li>
    }
    .into_any()
}
