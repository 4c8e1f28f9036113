//! What the buyer can do besides paying: confirm the receipt, ask money back, cancel.
//!
//! What cannot be undone stands inside `<details>`: one deliberate step away, without any script.

use super::action;
use crate::{
    pages::{
        data::OrderPage,
        form_errors::{at_field, described_by},
    },
    pricing::format_yuan,
    texts::Texts,
};
use leptos::prelude::*;

/// The parts `receipt`, `refund-form` and `cancel`, and the way back to the shop.
pub fn view(texts: Texts, page: &OrderPage) -> AnyView {
    view! {
        <div data-live="receipt">{page.can_confirm_receipt.then(|| receipt(texts, page))}</div>
        <div data-live="refund-form">{(page.refundable_fen > 0).then(|| refund(texts, page))}</div>
        <div data-live="cancel">{page.can_cancel.then(|| cancel(texts, page))}</div>
        <p class="actions">
            <a class="button quiet" href="/">
                {texts.get("order-again")}
            </a>
        </p>
    }
    .into_any()
}

fn receipt(texts: Texts, page: &OrderPage) -> AnyView {
    view! {
        <form class="card stack" method="post" action=action(page, "receipt") id="receipt-form">
            <p>{texts.get("receipt-text")}</p>
            <button type="submit" class="primary" id="confirm-receipt">
                {texts.get("receipt-text.button")}
            </button>
        </form>
    }
    .into_any()
}

fn cancel(texts: Texts, page: &OrderPage) -> AnyView {
    view! {
        <details class="card" id="cancel">
            <summary>{texts.get("cancel-heading")}</summary>
            <form class="stack" method="post" action=action(page, "cancel") id="cancel-form">
                <p>{texts.get("cancel-heading.text")}</p>
                <button type="submit" class="quiet" id="cancel-order">
                    {texts.get("cancel-heading.button")}
                </button>
            </form>
        </details>
    }
    .into_any()
}

fn refund(texts: Texts, page: &OrderPage) -> AnyView {
    let error = |id| {
        let notice = page.notice.filter(|notice| notice.field() == Some(id));
        notice.map(|notice| texts.get(&format!("order-notice-{}", notice.as_str())))
    };
    // What was typed and did not arrive must not be folded away.
    let was_typed = page.refund_amount.is_some();
    let amount = page
        .refund_amount
        .clone()
        .unwrap_or_else(|| format_yuan(page.refundable_fen));
    let amount = Field {
        id: "refund-amount",
        name: "amount",
        input_mode: "decimal",
        label: texts.get("refund-amount"),
        hint: texts.with(
            "refund-amount.hint",
            &[("amount", format_yuan(page.refundable_fen).into())],
        ),
        error: error("refund-amount"),
        value: amount,
    };
    let reason = Field {
        id: "refund-reason",
        name: "reason",
        input_mode: "text",
        label: texts.get("refund-reason"),
        hint: texts.get("refund-reason.hint"),
        error: error("refund-reason"),
        value: page.refund_reason.clone(),
    };
    view! {
        <details class="card" id="refund" open=was_typed data-keep=was_typed.then_some("")>
            <summary>{texts.get("refund-heading")}</summary>
            <form class="stack" method="post" action=action(page, "refunds") id="refund-form" novalidate>
                <input type="hidden" name="refund_no" value=page.refund_no.clone() autocomplete="off" />
                {field(amount)}
                {field(reason)}
                <button type="submit" class="quiet" id="ask-refund">
                    {texts.get("refund-heading.button")}
                </button>
                <p class="quiet-text">{texts.get("refund-heading.promise")}</p>
            </form>
        </details>
    }
    .into_any()
}

/// One text field of the refund.
struct Field {
    id: &'static str,
    name: &'static str,
    input_mode: &'static str,
    label: String,
    hint: String,
    error: Option<String>,
    value: String,
}

fn field(field: Field) -> AnyView {
    let id = field.id;
    let has_error = field.error.is_some();
    view! {
        <div class="field">
            <label for=id>{field.label}</label>
            <p class="hint" id=format!("{id}-hint")>
                {field.hint}
            </p>
            {at_field(id, field.error)}
            <input
                id=id
                name=field.name
                type="text"
                inputmode=field.input_mode
                autocomplete="off"
                value=field.value
                aria-required="true"
                aria-invalid=has_error.then_some("true")
                aria-describedby=described_by(id, true, has_error)
            />
        </div>
    }
    .into_any()
}
