//! Which order it is and where it stands.

use crate::{
    pages::{
        data::OrderPage,
        parts::{order_number, status_badge, time},
    },
    texts::Texts,
};
use leptos::prelude::*;

/// The part `head`.
pub fn view(texts: Texts, page: &OrderPage) -> AnyView {
    let order = &page.order.order;
    let deadline = (order.status == "WAIT_PAY").then(|| {
        view! {
            <div>
                <dt>{texts.get("order-pay-before")}</dt>
                <dd id="pay-before">{time(texts, &order.pay_before)}</dd>
            </div>
        }
    });
    let lead = lead(texts, page).map(|lead| view! { <p class="lead" id="order-lead">{lead}</p> });
    view! {
        <div class="card order-head" data-live="head">
            <div class="order-head-title">
                <h1 id="order-heading" tabindex="-1">
                    {texts.get("order-heading")}
                </h1>
                {status_badge(texts, &order.status)}
            </div>
            {lead}
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

/// What the status means for the buyer. A status without a text has its badge alone.
fn lead(texts: Texts, page: &OrderPage) -> Option<String> {
    let order = &page.order.order;
    let why = match order.status.as_str() {
        "PAID" if order.total_fen == 0 => ".nothing-to-pay",
        "CLOSED" => why_closed(page),
        _ => "",
    };
    texts.find(&format!("order-lead-{}{why}", order.status))
}

/// A surplus can arrive after the end, so the last entry of the journal need not be the one that closed the order.
fn why_closed(page: &OrderPage) -> &'static str {
    let mut newest_first = page.order.events.iter().rev().map(|event| event.event.as_str());
    match newest_first.find(|event| ["cancelled", "deadline_passed"].contains(event)) {
        Some("cancelled") => ".cancelled",
        Some(_) => ".deadline-passed",
        None => "",
    }
}
