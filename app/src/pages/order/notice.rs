//! Why the last press had no effect: said where the focus goes first, with a way to the field that helps.

use crate::{
    pages::data::{OrderNotice, OrderPage},
    pricing::format_yuan,
    texts::Texts,
};
use leptos::prelude::*;

/// The notice. The region is always there, so that its filling is announced. It is no live part: what the buyer's own press came to
/// stays until the order has moved on.
pub fn view(texts: Texts, page: &OrderPage) -> AnyView {
    view! {
        <div id="order-messages" role="alert" tabindex="-1" autofocus=page.notice.is_some()>
            {page.notice.map(|notice| message(texts, page, notice))}
        </div>
    }
    .into_any()
}

fn message(texts: Texts, page: &OrderPage, notice: OrderNotice) -> AnyView {
    let id = format!("order-notice-{}", notice.as_str());
    // The form of a refund is gone once there is nothing left to ask back.
    let field = notice.field().filter(|_| page.refundable_fen > 0);
    let link = field.map(|field| {
        view! {
            <p>
                <a href=format!("#{field}")>{texts.get("notice-go-to-field")}</a>
            </p>
        }
    });
    view! {
        <div class="message bad" id="notice" data-notice=notice.as_str()>
            <h2>{texts.get(&id)}</h2>
            <p>{text(texts, notice, &format!("{id}.text"))}</p>
            {link}
        </div>
    }
    .into_any()
}

fn text(texts: Texts, notice: OrderNotice, id: &str) -> String {
    match notice {
        OrderNotice::RefundTooLarge { refundable_fen } => {
            texts.with(id, &[("amount", format_yuan(refundable_fen).into())])
        }
        _ => texts.get(id),
    }
}
