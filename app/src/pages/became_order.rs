//! The order form's place while its token stands for an order that the buyer has not seen yet.

use super::{
    data::FormBecameOrder,
    parts::{order_path, url_part},
};
use crate::texts::Texts;
use leptos::prelude::*;

/// The page. Only the buyer's own press gives the form a new token before the order was seen.
pub fn view(texts: Texts, became: &FormBecameOrder) -> AnyView {
    let order = || [("order", became.order_no.as_str().into())];
    let restart = format!("/order/restart?sku={}", url_part(&became.sku));
    view! {
        <div class="card narrow" id="became-order">
            <h1>{texts.with("became-heading", &order())}</h1>
            <p>{texts.get("became-text")}</p>
            <form class="actions" method="post" action=restart id="restart-form">
                <input type="hidden" name="submit_token" value=became.token.clone() autocomplete="off" />
                <a class="button" id="became-order-link" href=order_path(&became.order_no)>
                    {texts.with("became-link", &order())}
                </a>
                <button type="submit" class="quiet" id="restart">
                    {texts.get("became-restart")}
                </button>
            </form>
        </div>
    }
    .into_any()
}
