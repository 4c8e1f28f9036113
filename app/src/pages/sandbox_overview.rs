//! `/` of the sandbox gateway: what it was asked for, what it will send, and what came in and went out.

use super::{
    data::sandbox::{Notice, Overview, Payment, Traffic},
    parts::{price, time, url_part},
};
use crate::texts::Texts;
use leptos::prelude::*;

/// The page.
pub fn view(texts: Texts, overview: &Overview) -> AnyView {
    view! {
        <h1>{texts.get("sandbox-overview-heading")}</h1>
        <p class="lead">{texts.get("sandbox-overview-intro")}</p>
        <div class="stack sandbox">
            {notices(texts, overview)}
            {payments(texts, overview)}
            {traffic(texts, &overview.traffic)}
        </div>
    }
    .into_any()
}

fn section(id: &'static str, heading: String, rows: Vec<AnyView>, empty: String) -> AnyView {
    let body = if rows.is_empty() {
        view! { <p class="quiet-text">{empty}</p> }.into_any()
    } else {
        view! { <ul class="lines">{rows}</ul> }.into_any()
    };
    let heading_id = format!("{id}-heading");
    view! {
        <section class="card" id=id aria-labelledby=heading_id>
            <h2 id=heading_id.clone()>{heading}</h2>
            {body}
        </section>
    }
    .into_any()
}

fn channel_badge(texts: Texts, channel: &str) -> AnyView {
    view! { <span class="badge">{texts.get(&format!("sandbox-channel-{channel}"))}</span> }.into_any()
}

fn payments(texts: Texts, overview: &Overview) -> AnyView {
    let rows = overview
        .payments
        .iter()
        .map(|payment| payment_row(texts, &overview.base, payment));
    section(
        "payments",
        texts.get("sandbox-payments"),
        rows.collect(),
        texts.get("sandbox-payments.empty"),
    )
}

fn payment_row(texts: Texts, base: &str, payment: &Payment) -> AnyView {
    view! {
        <li class="line" data-payment=payment.payment_no.clone()>
            {channel_badge(texts, &payment.channel)}
            <span class="line-text">
                <a href=format!("{base}/pay/{}", url_part(&payment.token))>{payment.payment_no.clone()}</a>
                <span class="quiet-text">{time(texts, &payment.created_at)}</span>
            </span>
            <span>{texts.get(&format!("sandbox-state-{}", payment.state))}</span>
            <span class="price">{price(texts, payment.amount_fen)}</span>
        </li>
    }
    .into_any()
}

fn notices(texts: Texts, overview: &Overview) -> AnyView {
    let rows = overview
        .notices
        .iter()
        .map(|notice| notice_row(texts, &overview.base, notice));
    section(
        "notices",
        texts.get("sandbox-notices"),
        rows.collect(),
        texts.get("sandbox-notices.empty"),
    )
}

fn notice_row(texts: Texts, base: &str, notice: &Notice) -> AnyView {
    let label = texts.with(
        "sandbox-send-now.label",
        &[("number", notice.payment_no.as_str().into())],
    );
    let send = (notice.state == "waiting").then(|| {
        view! {
            <form method="post" action=format!("{base}/notices/{}/send-now", url_part(&notice.id))>
                <button type="submit" class="quiet" aria-label=label>
                    {texts.get("sandbox-send-now")}
                </button>
            </form>
        }
    });
    let attempts = texts.with("sandbox-attempts", &[("count", notice.attempts.into())]);
    view! {
        <li class="line" data-notice=notice.state.clone()>
            {channel_badge(texts, &notice.channel)}
            <span class="line-text">
                <span>{format!("{} {}", notice.payment_no, notice.kind)}</span>
                <span class="quiet-text">
                    {texts.get(&format!("sandbox-notice-{}", notice.state))} ", " {attempts} ", "
                    {time(texts, &notice.due_at)}
                </span>
            </span>
            {send}
        </li>
    }
    .into_any()
}

fn traffic(texts: Texts, lines: &[Traffic]) -> AnyView {
    let rows = lines.iter().map(|line| traffic_row(texts, line));
    section(
        "traffic",
        texts.get("sandbox-traffic"),
        rows.collect(),
        texts.get("sandbox-traffic.empty"),
    )
}

fn traffic_row(texts: Texts, line: &Traffic) -> AnyView {
    let status = if line.status == 0 {
        texts.get("sandbox-no-answer")
    } else {
        line.status.to_string()
    };
    view! {
        <li class="line" data-direction=line.direction.clone()>
            {channel_badge(texts, &line.channel)}
            <details class="line-text">
                <summary>
                    {texts.get(&format!("sandbox-direction-{}", line.direction))} " " <code>{line.what.clone()}</code>
                    " → " {status}
                </summary>
                <p class="quiet-text">{texts.get("sandbox-request")}</p>
                <pre tabindex="0">{line.request.clone()}</pre>
                <p class="quiet-text">{texts.get("sandbox-answer")}</p>
                <pre tabindex="0">{line.answer.clone()}</pre>
            </details>
            <span class="quiet-text">{time(texts, &line.at)}</span>
        </li>
    }
    .into_any()
}
