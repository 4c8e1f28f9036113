//! `/pay/{token}` of the sandbox gateway: where the buyer pays, does not pay, or lets the gateway misbehave.

use super::{
    data::sandbox::{Cashier, Refusal},
    parts::{price, time, url_part},
};
use crate::texts::Texts;
use leptos::prelude::*;

/// What the browser's tab says.
pub fn title(texts: Texts, cashier: &Cashier) -> String {
    let amount = price(texts, cashier.amount_fen);
    texts.with("sandbox-cashier-title", &[("amount", amount.into())])
}

/// The page.
pub fn view(texts: Texts, cashier: &Cashier) -> AnyView {
    let channel = texts.get(&format!("sandbox-channel-{}", cashier.channel));
    let is_open = cashier.state == "open";
    view! {
        <div class="card narrow" id="cashier" data-channel=cashier.channel.clone() data-state=cashier.state.clone()>
            <h1>{texts.with("sandbox-cashier-heading", &[("channel", channel.into())])}</h1>
            {(!is_open).then(|| ended(texts, cashier))}
            {facts(texts, cashier)}
            <form method="post" action=format!("{}/pay/{}", cashier.base, url_part(&cashier.token)) class="stack">
                <input
                    type="hidden"
                    name="position"
                    value=cashier.transactions.len().to_string()
                    autocomplete="off"
                />
                {is_open.then(|| buttons(texts, cashier))}
                {corner(texts, cashier)}
            </form>
        </div>
    }
    .into_any()
}

fn facts(texts: Texts, cashier: &Cashier) -> AnyView {
    view! {
        <dl class="amounts">
            <div class="total">
                <dt>{texts.get("sandbox-amount")}</dt>
                <dd id="cashier-amount">{price(texts, cashier.amount_fen)}</dd>
            </div>
            <div>
                <dt>{texts.get("sandbox-subject")}</dt>
                <dd>{cashier.subject.clone()}</dd>
            </div>
            <div>
                <dt>{texts.get("sandbox-merchant")}</dt>
                <dd>{cashier.merchant.clone()}</dd>
            </div>
            <div>
                <dt>{texts.get("sandbox-payment-no")}</dt>
                <dd id="cashier-payment-no">{cashier.payment_no.clone()}</dd>
            </div>
            <div>
                <dt>{texts.get("sandbox-pay-before")}</dt>
                <dd>{time(texts, &cashier.pay_before)}</dd>
            </div>
        </dl>
    }
    .into_any()
}

fn buttons(texts: Texts, cashier: &Cashier) -> AnyView {
    let amount = price(texts, cashier.amount_fen);
    view! {
        <button type="submit" class="primary" name="action" value="pay" id="pay">
            {texts.with("sandbox-pay", &[("amount", amount.into())])}
        </button>
        <p class="actions">
            <button type="submit" class="quiet" name="action" value="fail" id="fail">
                {texts.get("sandbox-fail")}
            </button>
            <button type="submit" class="quiet" name="action" value="close" id="close">
                {texts.get("sandbox-close")}
            </button>
        </p>
    }
    .into_any()
}

/// What became of it, and the way back.
fn ended(texts: Texts, cashier: &Cashier) -> AnyView {
    let kind = if cashier.state == "paid" {
        "message good"
    } else {
        "message bad"
    };
    let back = cashier.return_url.clone().map(|address| {
        view! {
            <p>
                <a href=address id="back-to-shop">
                    {texts.get("sandbox-back")}
                </a>
            </p>
        }
    });
    view! {
        <div class=kind role="status" id="cashier-ended">
            <strong>{texts.get(&format!("sandbox-state-{}", cashier.state))}</strong>
            {back}
        </div>
    }
    .into_any()
}

/// The engineer's corner: what a real provider does by accident.
fn corner(texts: Texts, cashier: &Cashier) -> AnyView {
    let extra = match cashier.state.as_str() {
        "open" => None,
        "paid" => Some(("pay-again", texts.get("sandbox-pay-again"))),
        _ => Some(("pay-although-closed", texts.get("sandbox-pay-although-closed"))),
    };
    let extra = extra.map(|(action, label)| {
        view! {
            <p class="actions">
                <button type="submit" class="quiet" name="action" value=action id=action>
                    {label}
                </button>
            </p>
        }
    });
    let choices = cashier.misbehaviours.iter().map(|name| {
        let label = texts.get(&format!("sandbox-misbehaviour-{name}"));
        view! { <option value=name.clone()>{label}</option> }
    });
    let choices: Vec<_> = choices.collect();
    let transactions = cashier
        .transactions
        .iter()
        .map(|number| view! { <li>{number.clone()}</li> });
    let transactions: Vec<_> = transactions.collect();
    view! {
        <details id="corner">
            <summary>{texts.get("sandbox-corner")}</summary>
            <div class="stack">
                <p class="quiet-text">{texts.get("sandbox-corner.text")}</p>
                <div class="field">
                    <label for="misbehaviour">{texts.get("sandbox-corner.label")}</label>
                    <select name="misbehaviour" id="misbehaviour" autocomplete="off">
                        {choices}
                    </select>
                </div>
                {extra}
                <ul class="quiet-text" id="transactions">
                    {transactions}
                </ul>
            </div>
        </details>
    }
    .into_any()
}

/// The page when there is nothing to pay.
pub fn refused(texts: Texts, refusal: &Refusal) -> AnyView {
    view! {
        <div class="card narrow" id="refused">
            <h1>{texts.get("sandbox-refused-heading")}</h1>
            <p>{texts.get("sandbox-refused-text")}</p>
            <p class="quiet-text">
                <code>{refusal.code.clone()}</code>
            </p>
        </div>
    }
    .into_any()
}
