//! The refunds that were asked for.

use crate::{
    pages::parts::{price, time},
    texts::Texts,
    wire::RefundBody,
};
use leptos::prelude::*;

/// The part `refunds`.
pub fn list(texts: Texts, refunds: &[RefundBody]) -> AnyView {
    let list = (!refunds.is_empty()).then(|| {
        let rows: Vec<_> = refunds.iter().map(|refund| row(texts, refund)).collect();
        view! {
            <section class="card" aria-labelledby="refunds-heading">
                <h2 id="refunds-heading">{texts.get("refunds-heading")}</h2>
                <ul class="lines" id="refunds">
                    {rows}
                </ul>
            </section>
        }
    });
    view! { <div data-live="refunds">{list}</div> }.into_any()
}

fn row(texts: Texts, refund: &RefundBody) -> AnyView {
    let status = texts
        .find(&format!("refund-status-{}", refund.status))
        .unwrap_or_else(|| refund.status.clone());
    view! {
        <li class="line" data-refund=refund.refund_no.clone()>
            <div class="line-text">
                <strong>{refund.reason.clone()}</strong>
                <span class="quiet-text">{time(texts, &refund.created_at)}</span>
            </div>
            <span class="badge" data-refund-status=refund.status.clone()>
                {status}
            </span>
            <span class="price">{price(texts, refund.amount_fen)}</span>
        </li>
    }
    .into_any()
}
