//! How an order that waits for its money gets it: the payment that is open, and the channels to choose from.

use super::action;
use crate::{
    pages::{
        data::{OpenPayment, OrderPage},
        parts::{channel_name, order_path, price, web_address},
    },
    pricing::format_yuan,
    texts::Texts,
};
use leptos::prelude::*;

/// The parts `payment` and `channels`.
pub fn view(texts: Texts, page: &OrderPage) -> AnyView {
    let waiting = page.order.order.status == "WAIT_PAY";
    view! {
        <div class="order-pay">
            <div class="order-part" data-live="payment">
                {waiting.then(|| payment(texts, page))}
            </div>
            <div class="order-part" data-live="channels">
                {waiting.then(|| channels(texts, page))}
            </div>
        </div>
    }
    .into_any()
}

fn payment(texts: Texts, page: &OrderPage) -> Option<AnyView> {
    if let Some(open) = &page.open_payment {
        return Some(open_payment(texts, page, open));
    }
    let last = page.order.payments.last()?;
    let failed = (last.status == "FAILED").then(|| {
        let text = texts.with(
            "payment-failed",
            &[("channel", channel_name(texts, &last.channel).into())],
        );
        view! { <p class="message note" id="payment-failed">{text}</p> }
    });
    Some(failed.into_any())
}

fn open_payment(texts: Texts, page: &OrderPage, open: &OpenPayment) -> AnyView {
    let heading = [
        ("amount", format_yuan(page.order.order.total_fen).into()),
        ("channel", channel_name(texts, &open.channel).into()),
    ];
    let way = if open.kind == "qr" {
        scan(texts, page, open)
    } else {
        go_there(texts, open)
    };
    view! {
        <section class="card stack" id="open-payment" data-channel=open.channel.clone() aria-labelledby="payment-heading">
            <h2 id="payment-heading">{texts.with("payment-open", &heading)}</h2>
            {way}
            <p class="quiet-text">
                {texts.get("payment-then")} " "
                <a href=order_path(&page.order.order.order_no) id="look-again">
                    {texts.get("payment-look-again")}
                </a>
            </p>
        </section>
    }
    .into_any()
}

fn scan(texts: Texts, page: &OrderPage, open: &OpenPayment) -> AnyView {
    let values = [
        ("amount", format_yuan(page.order.order.total_fen).into()),
        ("channel", channel_name(texts, &open.channel).into()),
    ];
    let code = match &open.qr_image {
        Some(image) => {
            let alternative = texts.with("payment-qr.alt", &values);
            view! { <img class="qr" id="payment-qr" src=image.clone() alt=alternative width="232" height="232" /> }
                .into_any()
        }
        // A code that could not be drawn can still be copied.
        None => view! { <code id="payment-qr-text">{open.url.clone()}</code> }.into_any(),
    };
    let here = open.payable_here.as_deref().and_then(web_address).map(|address| {
        view! {
            <p>
                <a href=address id="pay-here">
                    {texts.get("payment-qr.here")}
                </a>
            </p>
        }
    });
    view! {
        <p>{texts.with("payment-qr", &values)}</p>
        {code}
        {here}
    }
    .into_any()
}

fn go_there(texts: Texts, open: &OpenPayment) -> AnyView {
    let channel = [("channel", channel_name(texts, &open.channel).into())];
    let link = web_address(&open.url).map(|address| {
        view! {
            <p class="actions">
                <a class="button" href=address id="continue-payment">
                    {texts.with("payment-redirect.continue", &channel)}
                </a>
            </p>
        }
    });
    view! {
        <p>{texts.get("payment-redirect")}</p>
        {link}
    }
    .into_any()
}

/// The channels but the one that is open, which has its own way on.
fn channels(texts: Texts, page: &OrderPage) -> AnyView {
    let open = page.open_payment.as_ref().map(|open| open.channel.as_str());
    let others: Vec<_> = page
        .channels
        .iter()
        .filter(|channel| Some(channel.as_str()) != open)
        .map(|channel| {
            view! {
                <button type="submit" class="quiet" name="channel" value=channel.clone() id=format!("pay-{channel}")>
                    {channel_name(texts, channel)}
                </button>
            }
        })
        .collect();
    if others.is_empty() {
        return open.is_none().then(|| none(texts)).into_any();
    }
    let heading = if open.is_some() {
        texts.get("payment-another")
    } else {
        texts.with(
            "payment-choose",
            &[("price", price(texts, page.order.order.total_fen).into())],
        )
    };
    view! {
        <section class="card stack" aria-labelledby="channels-heading">
            <h2 id="channels-heading">{heading}</h2>
            <form method="post" action=action(page, "payments") id="pay-form" class="channels">
                {others}
            </form>
            <p class="quiet-text">{texts.get("payment-promise")}</p>
        </section>
    }
    .into_any()
}

fn none(texts: Texts) -> AnyView {
    view! { <p class="message note" id="no-channel">{texts.get("payment-none")}</p> }.into_any()
}
