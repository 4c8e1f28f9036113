//! The gateway's pages: the cashier for the buyer, the overview for whoever looks on.

use super::{
    Gateway,
    behaviour::Misbehaviour,
    books::{Payment, State},
    sign::name_of,
};
use crate::{
    channels::ChannelId,
    clock::rfc3339,
    http::{
        render::{Frames, rendered},
        see_other,
    },
};
use app::pages::data::{Page, sandbox as shown};
use axum::{
    Form,
    extract::{Path, State as Shared},
    http::StatusCode,
    response::Response,
};
use clap::ValueEnum as _;
use serde::Deserialize;
use url::Url;

/// Most rows of each list on the overview.
const ROWS: i64 = 100;

/// The cashier's fields.
#[derive(Debug, Deserialize)]
pub(super) struct Act {
    action: String,
    #[serde(default)]
    misbehaviour: String,
    #[serde(default)]
    position: i64,
}

/// `GET /pay/{token}`
pub(super) async fn cashier(Shared(gateway): Shared<Gateway>, Path(token): Path<String>, frames: Frames) -> Response {
    match cashier_of(&gateway, &token).await {
        Ok(Some((cashier, form_action))) => {
            let page = Page::SandboxCashier(Box::new(cashier));
            rendered(
                &gateway.inner.settings.leptos,
                &frames,
                StatusCode::OK,
                page,
                &form_action,
            )
        }
        Ok(None) => refused(&gateway, &frames, StatusCode::NOT_FOUND, "PAYMENT_NOT_EXIST"),
        Err(error) => broken(&gateway, &frames, &error),
    }
}

async fn cashier_of(gateway: &Gateway, token: &str) -> Result<Option<(shown::Cashier, String)>, sqlx::Error> {
    let store = &gateway.inner.store;
    let Some(payment) = store.payment_of_token(token).await? else {
        return Ok(None);
    };
    let money = store.money(payment.channel, &payment.payment_no).await?;
    let names = &gateway.inner.keys.names;
    let merchant = match payment.channel {
        ChannelId::Wechat => &names.wechat_merchant,
        ChannelId::Alipay => &names.alipay_seller,
        ChannelId::Webhook => &names.webhook_merchant,
    };
    let cashier = shown::Cashier {
        base: gateway.base_path(),
        token: payment.token.clone(),
        channel: payment.channel.as_str().to_owned(),
        merchant: merchant.clone(),
        payment_no: payment.payment_no.clone(),
        subject: payment.subject.clone(),
        amount_fen: payment.amount_fen,
        pay_before: rfc3339(payment.pay_before),
        state: payment.state.as_str().to_owned(),
        return_url: way_back(&payment),
        transactions: money.into_iter().map(|money| money.transaction_id).collect(),
        misbehaviours: Misbehaviour::value_variants().iter().map(name_of).collect(),
    };
    Ok(Some((cashier, form_action(&payment))))
}

/// Where the page's forms may lead. Browsers apply this to the redirect after a form too, so the shop's origin must be in it.
fn form_action(payment: &Payment) -> String {
    match Url::parse(&payment.return_url) {
        Ok(url) => format!("'self' {}", url.origin().ascii_serialization()),
        Err(_) => "'self'".to_owned(),
    }
}

/// Back to the shop: to the address that it gave, else to the front page of wherever it receives notifications.
fn way_back(payment: &Payment) -> Option<String> {
    if !payment.return_url.is_empty() {
        return Some(payment.return_url.clone());
    }
    let origin = Url::parse(&payment.notify_url).ok()?.origin();
    Some(format!("{}/", origin.ascii_serialization()))
}

/// `POST /pay/{token}`: what the buyer chose. Chosen twice, it happens once.
pub(super) async fn act(
    Shared(gateway): Shared<Gateway>,
    Path(token): Path<String>,
    frames: Frames,
    Form(act): Form<Act>,
) -> Response {
    let payment = match gateway.inner.store.payment_of_token(&token).await {
        Ok(Some(payment)) => payment,
        Ok(None) => return refused(&gateway, &frames, StatusCode::NOT_FOUND, "PAYMENT_NOT_EXIST"),
        Err(error) => return broken(&gateway, &frames, &error),
    };
    if let Err(error) = do_act(&gateway, &payment, &act).await {
        return broken(&gateway, &frames, &error);
    }
    gateway.wake();
    let of_buyer = matches!(act.action.as_str(), "pay" | "fail" | "close");
    if of_buyer && payment.channel != ChannelId::Wechat && !payment.return_url.is_empty() {
        see_other(&payment.return_url)
    } else {
        see_other(&format!("{}/pay/{}", gateway.base_path(), payment.token))
    }
}

async fn do_act(gateway: &Gateway, payment: &Payment, act: &Act) -> Result<bool, sqlx::Error> {
    let store = &gateway.inner.store;
    let misbehaviour = Misbehaviour::from_str(&act.misbehaviour, false).unwrap_or_default();
    let pay = |from, position| store.pay(payment, from, position, misbehaviour, gateway.gap_scale());
    match act.action.as_str() {
        "pay" => pay(State::Open, 0).await,
        "pay-again" => pay(State::Paid, act.position).await,
        "pay-although-closed" if payment.state == State::Failed => pay(State::Failed, act.position).await,
        "pay-although-closed" => pay(State::Closed, act.position).await,
        "fail" => store.end(payment, State::Failed, true).await,
        "close" => store.end(payment, State::Closed, true).await,
        _ => Ok(false),
    }
}

/// `GET /`
pub(super) async fn overview(Shared(gateway): Shared<Gateway>, frames: Frames) -> Response {
    match overview_of(&gateway).await {
        Ok(overview) => {
            let page = Page::SandboxOverview(Box::new(overview));
            rendered(&gateway.inner.settings.leptos, &frames, StatusCode::OK, page, "'self'")
        }
        Err(error) => broken(&gateway, &frames, &error),
    }
}

async fn overview_of(gateway: &Gateway) -> Result<shown::Overview, sqlx::Error> {
    let store = &gateway.inner.store;
    let payments = store.payments(ROWS).await?.into_iter().map(|payment| shown::Payment {
        channel: payment.channel.as_str().to_owned(),
        payment_no: payment.payment_no,
        token: payment.token,
        state: payment.state.as_str().to_owned(),
        amount_fen: payment.amount_fen,
        created_at: rfc3339(payment.created_at),
    });
    let notices = store.notices(ROWS).await?.into_iter().map(|notice| shown::Notice {
        id: notice.notice_id,
        channel: notice.channel.as_str().to_owned(),
        payment_no: notice.payment_no,
        kind: name_of(&notice.what.kind),
        state: notice.state,
        attempts: notice.attempts,
        due_at: rfc3339(notice.due_at),
    });
    let traffic = store.traffic(ROWS).await?.into_iter().map(|line| shown::Traffic {
        at: rfc3339(line.at),
        channel: line.channel,
        direction: line.direction.to_owned(),
        what: line.what,
        status: line.status.into(),
        request: line.request,
        answer: line.answer,
    });
    Ok(shown::Overview {
        base: gateway.base_path(),
        payments: payments.collect(),
        notices: notices.collect(),
        traffic: traffic.collect(),
    })
}

/// `POST /notices/{notice_id}/send-now`
pub(super) async fn send_now(
    Shared(gateway): Shared<Gateway>,
    Path(notice_id): Path<String>,
    frames: Frames,
) -> Response {
    if let Err(error) = gateway.inner.store.send_now(&notice_id).await {
        return broken(&gateway, &frames, &error);
    }
    gateway.wake();
    see_other(&gateway.overview_path())
}

/// Whatever else is asked for.
pub(super) async fn missing(Shared(gateway): Shared<Gateway>, frames: Frames) -> Response {
    refused(&gateway, &frames, StatusCode::NOT_FOUND, "NOT_FOUND")
}

/// The page that says that there is nothing to pay, with the provider's word for why.
pub(super) fn refused(gateway: &Gateway, frames: &Frames, status: StatusCode, code: &str) -> Response {
    let page = Page::SandboxRefusal(shown::Refusal {
        base: gateway.base_path(),
        code: code.to_owned(),
    });
    rendered(&gateway.inner.settings.leptos, frames, status, page, "'self'")
}

fn broken(gateway: &Gateway, frames: &Frames, error: &sqlx::Error) -> Response {
    tracing::error!(%error, "the sandbox gateway's database");
    refused(gateway, frames, StatusCode::SERVICE_UNAVAILABLE, "SYSTEM_ERROR")
}
