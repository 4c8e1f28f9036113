//! What the order costs, and the coupon. The amounts follow the typing where the browser's code runs; the server's are what counts.

use super::{
    data::OrderForm,
    form_errors::{Errors, at_field, described_by},
    parts::price,
};
use crate::{pricing::format_yuan, texts::Texts};
use leptos::prelude::*;

/// The fragments `#coupon-box` and `#order-summary`.
pub fn view(texts: Texts, form: &OrderForm, errors: &Errors) -> AnyView {
    view! {
        {coupon(texts, form, errors)}
        {amounts(texts, form)}
    }
    .into_any()
}

fn amounts(texts: Texts, form: &OrderForm) -> AnyView {
    let amount = |fen: Option<i64>| fen.map_or_else(|| "—".to_owned(), |fen| price(texts, fen));
    let quote = form.quote;
    let total = quote.map_or_else(|| texts.get("summary-unknown"), |quote| price(texts, quote.total_fen));
    let discount_fen = quote.map_or(0, |quote| quote.discount_fen);
    let discount = texts.with("minus-price", &[("amount", format_yuan(discount_fen).into())]);
    view! {
        <section class="card" id="order-summary" aria-labelledby="summary-heading" data-fragment="">
            <h2 id="summary-heading">{texts.get("summary-heading")}</h2>
            <dl class="amounts">
                <div>
                    <dt>{texts.get("summary-subtotal")}</dt>
                    <dd id="subtotal">{amount(quote.map(|quote| quote.subtotal_fen))}</dd>
                </div>
                <div id="discount-row" hidden=discount_fen == 0>
                    <dt>{texts.get("summary-discount")}</dt>
                    <dd id="discount">{discount}</dd>
                </div>
                <div class="total">
                    <dt>{texts.get("summary-total")}</dt>
                    <dd>
                        <output id="total">{total}</output>
                    </dd>
                </div>
            </dl>
            <button type="submit" class="quiet" name="edit" value="update" id="recalculate">
                {texts.get("summary-recalculate")}
            </button>
        </section>
    }
    .into_any()
}

fn coupon(texts: Texts, form: &OrderForm, errors: &Errors) -> AnyView {
    let error = errors.at("coupon");
    let has_error = error.is_some();
    let good = form.coupon_discount_fen.map(|fen| {
        let text = texts.with("form-coupon-good", &[("amount", format_yuan(fen).into())]);
        view! { <p class="field-good" id="coupon-good">{text}</p> }
    });
    // The server has looked the coupon up: one that stands there without a discount is not good, which must not pass in silence.
    let not_applied = (form.coupon_discount_fen.is_none() && !form.coupon.trim().is_empty() && error.is_none())
        .then(|| view! { <p class="hint" id="coupon-not-applied">{texts.get("coupon-not-applied")}</p> });
    view! {
        <div class="card field" id="coupon-box" data-fragment="">
            <label for="coupon">
                {texts.get("form-coupon")} <span class="optional">{texts.get("form-note.optional")}</span>
            </label>
            <p class="hint" id="coupon-hint">
                {texts.get("form-coupon.hint")}
            </p>
            {at_field("coupon", error)}
            <div class="together">
                <input
                    id="coupon"
                    name="coupon"
                    type="text"
                    autocomplete="off"
                    autocapitalize="characters"
                    spellcheck="false"
                    value=form.coupon.clone()
                    aria-invalid=has_error.then_some("true")
                    aria-describedby=described_by("coupon", true, has_error)
                />
                <button type="submit" class="quiet" name="edit" value="update" id="apply-coupon">
                    {texts.get("form-coupon.apply")}
                </button>
            </div>
            {good}
            {not_applied}
        </div>
    }
    .into_any()
}
