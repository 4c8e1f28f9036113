//! The order form: plain HTML first, so that it works before, during and without the browser's code.
//!
//! Everything typed comes back through `value=` and never through the inside of a `<textarea>`, which Leptos 0.8 does not
//! escape. The first button in the tree is the one that Enter presses, so it must be the one that orders.

use super::{
    data::OrderForm,
    form_errors::{self, Errors},
    form_fields, form_lines, form_notice, form_summary,
    parts::form_path,
};
use crate::{islands::SubmitGuard, texts::Texts};
use leptos::prelude::*;

/// The browser's tab: says first when something is wrong, so that it is heard first.
pub fn title(texts: Texts, form: &OrderForm) -> String {
    let title = texts.with("form-title", &[("product", main_product(form).into())]);
    let refused = form.notice.as_ref().is_some_and(form_notice::is_refusal);
    if form.errors.is_empty() && !refused {
        title
    } else {
        texts.with("error-title", &[("title", title.into())])
    }
}

/// Name of the product whose form this is, or its SKU once it is gone.
fn main_product(form: &OrderForm) -> String {
    form_notice::product_name(form, &form.sku)
}

/// The page.
pub fn view(texts: Texts, form: OrderForm) -> AnyView {
    view! {
        <p class="breadcrumb">
            <a href="/">{texts.get("breadcrumb-back")}</a>
        </p>
        <h1>{texts.get("form-heading")}</h1>
        <p class="lead" id="form-lead">{texts.get("form-lead")}</p>
        {messages(texts, &form)}
        {elsewhere(texts, &form)}
        <SubmitGuard>{the_form(texts, &form)}</SubmitGuard>
    }
    .into_any()
}

/// Why the last attempt was not accepted. The region is always there, so that its filling is announced.
fn messages(texts: Texts, form: &OrderForm) -> AnyView {
    let has_messages = form.notice.is_some() || !form.errors.is_empty();
    view! {
        <div id="form-messages" role="alert" tabindex="-1" autofocus=has_messages data-fragment="">
            {form_notice::view(texts, form)}
            {form_errors::summary(texts, form)}
        </div>
    }
    .into_any()
}

fn the_form(texts: Texts, form: &OrderForm) -> AnyView {
    let action = form_path(&form.sku);
    let coupon = form.coupon.trim().to_owned();
    let discount = form.coupon_discount_fen.map(|fen| fen.to_string());
    let errors = Errors::of(texts, form);
    view! {
        <form
            id="order-form"
            method="post"
            action=action
            novalidate
            data-coupon=coupon
            data-coupon-discount-fen=discount
            data-text-busy=texts.get("sending-busy")
            data-text-sending=texts.get("sending-status")
            data-text-retry=texts.get("sending-retry")
            data-text-offline=texts.get("sending-offline")
            data-text-done=texts.get("sending-done")
            data-text-editing=texts.get("editing-busy")
            data-text-edited=texts.get("editing-done")
            data-text-unknown=texts.get("summary-unknown")
        >
            <input type="hidden" name="submit_token" value=form.token.clone() autocomplete="off" />
            <button type="submit" class="visually-hidden" id="default-submit" tabindex="-1" aria-hidden="true">
                {texts.get("form-submit")}
            </button>
            <div class="columns">
                <div class="stack">
                    {form_lines::view(texts, form, &errors)}
                    {form_fields::receiver(texts, form, &errors)}
                </div>
                <div class="stack sticky">
                    {form_summary::view(texts, form, &errors)}
                    {place_order(texts)}
                </div>
            </div>
        </form>
    }
    .into_any()
}

/// The button that orders, and the live region that says how the sending goes.
fn place_order(texts: Texts) -> AnyView {
    view! {
        <div class="place-order">
            <button type="submit" class="primary" id="place-order">
                {texts.get("form-submit")}
            </button>
            <div class="send-status">
                <p id="send-status" role="status" aria-live="polite"></p>
                <button type="button" class="quiet" id="try-now" hidden>
                    {texts.get("sending-try-now")}
                </button>
                <a class="button quiet" id="placed-link" href="/orders" hidden>
                    {texts.get("sending-done.link")}
                </a>
            </div>
            <p class="quiet-text">{texts.get("form-promise")}</p>
        </div>
    }
    .into_any()
}

/// Shown in the form's place when another tab has placed this form's order.
fn elsewhere(texts: Texts, form: &OrderForm) -> AnyView {
    view! {
        <section class="card narrow" id="became-order-elsewhere" tabindex="-1" hidden>
            <h2>{texts.get("elsewhere-heading")}</h2>
            <p>{texts.get("elsewhere-text")}</p>
            <p class="actions">
                <a class="button" id="elsewhere-link" href="/orders">
                    {texts.get("elsewhere-link")}
                </a>
                <a class="button quiet" href=form_path(&form.sku)>
                    {texts.get("elsewhere-again")}
                </a>
            </p>
        </section>
    }
    .into_any()
}
