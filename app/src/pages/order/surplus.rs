//! Money that arrived and was not owed: the buyer must see that it comes back without having to ask.

use crate::{pages::parts::channel_name, pricing::format_yuan, texts::Texts, wire::SurplusBody};
use leptos::prelude::*;

/// The part `surplus`.
pub fn view(texts: Texts, surplus: &[SurplusBody]) -> AnyView {
    let rows: Vec<_> = surplus.iter().map(|one| row(texts, one)).collect();
    view! {
        <div class="order-part" data-live="surplus">
            {rows}
        </div>
    }
    .into_any()
}

fn row(texts: Texts, surplus: &SurplusBody) -> AnyView {
    let came = if surplus.reason == "late_payment" {
        "surplus-late"
    } else {
        "surplus-second"
    };
    let goes = if surplus.refunded { "refunded" } else { "refunding" };
    let class = if surplus.refunded {
        "message good"
    } else {
        "message note"
    };
    let values = [
        ("amount", format_yuan(surplus.amount_fen).into()),
        ("channel", channel_name(texts, &surplus.channel).into()),
    ];
    view! {
        <p class=class data-surplus=goes>
            {texts.with(&format!("{came}.{goes}"), &values)}
        </p>
    }
    .into_any()
}
