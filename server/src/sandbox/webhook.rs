//! The server side of the generic provider: JSON, both ways signed as Standard Webhooks demands.

use super::{
    Answer, Gateway,
    books::{Asked, Payment, State},
    is_recent, is_web_address,
    refunds::{AskedRefund, Asking, Refund},
};
use crate::channels::{
    ChannelId,
    amount::CURRENCY,
    standard_webhooks::signing::{ID_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, verifies},
};
use axum::{
    body::{Body, Bytes},
    extract::{OriginalUri, Path, State as Shared},
    http::{HeaderMap, Response},
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

const CHANNEL: ChannelId = ChannelId::Webhook;

#[derive(Debug, Deserialize)]
struct NewPayment {
    payment_no: String,
    merchant: String,
    amount_fen: i64,
    currency: String,
    subject: String,
    pay_before: String,
    notify_url: String,
    return_url: String,
}

#[derive(Debug, Deserialize)]
struct PaymentNumber {
    payment_no: String,
    merchant: String,
}

#[derive(Debug, Deserialize)]
struct NewRefund {
    refund_no: String,
    payment_no: String,
    transaction_id: String,
    merchant: String,
    amount_fen: i64,
    currency: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    notify_url: String,
}

#[derive(Debug, Deserialize)]
struct RefundNumber {
    refund_no: String,
    merchant: String,
}

/// Any call: verified first, then done, then signed.
pub(super) async fn call(
    Shared(gateway): Shared<Gateway>,
    OriginalUri(uri): OriginalUri,
    Path(path): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let answer = if is_signed(&gateway, &headers, &body) {
        done(&gateway, &path, &body).await
    } else {
        Answer::error(401, "signature_invalid", "the signature does not fit")
    };
    gateway
        .keep_received(CHANNEL.as_str(), format!("POST {}", uri.path()), &body, &answer)
        .await;
    let id = format!("msg_{}", uuid::Uuid::new_v4().simple());
    let signature = gateway.inner.keys.sign_webhook(&id, &answer.body, gateway.now());
    answer.signed(signature)
}

fn is_signed(gateway: &Gateway, headers: &HeaderMap, body: &[u8]) -> bool {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let (Some(id), Some(timestamp), Some(signatures)) =
        (header(ID_HEADER), header(TIMESTAMP_HEADER), header(SIGNATURE_HEADER))
    else {
        return false;
    };
    is_recent(timestamp, gateway.now()) && verifies(&gateway.inner.keys.webhook, id, timestamp, signatures, body)
}

async fn done(gateway: &Gateway, path: &str, body: &[u8]) -> Answer {
    let answer = match path {
        "payments" => create(gateway, body).await,
        "payments/query" => query(gateway, body).await,
        "payments/close" => close(gateway, body).await,
        "refunds" => refund(gateway, body).await,
        "refunds/query" => query_refund(gateway, body).await,
        _ => Ok(Answer::error(404, "not_found", "there is no such call")),
    };
    answer.unwrap_or_else(|error| {
        tracing::error!(%error, "the sandbox gateway's database");
        Answer::error(503, "try_again", "try again")
    })
}

fn malformed(what: &str) -> Answer {
    Answer::error(400, "malformed", what)
}

/// Reads a call's body, whose merchant must be ours.
fn read<T: for<'de> Deserialize<'de>>(
    gateway: &Gateway,
    body: &[u8],
    merchant: impl Fn(&T) -> &str,
) -> Result<T, Answer> {
    let read: T = serde_json::from_slice(body).map_err(|error| malformed(&error.to_string()))?;
    if merchant(&read) == gateway.inner.keys.names.webhook_merchant {
        Ok(read)
    } else {
        Err(Answer::error(
            403,
            "merchant_unknown",
            "this is not the merchant of the secret",
        ))
    }
}

async fn create(gateway: &Gateway, body: &[u8]) -> Result<Answer, sqlx::Error> {
    let new: NewPayment = match read(gateway, body, |new: &NewPayment| &new.merchant) {
        Ok(new) => new,
        Err(answer) => return Ok(answer),
    };
    let Ok(pay_before) = new.pay_before.parse::<Timestamp>() else {
        return Ok(malformed("pay_before is not RFC 3339"));
    };
    let sound = !new.payment_no.is_empty()
        && new.payment_no.len() <= 64
        && new.amount_fen >= 1
        && new.currency == CURRENCY
        && is_web_address(&new.notify_url)
        && is_web_address(&new.return_url);
    if !sound {
        return Ok(malformed("payment_no, amount_fen, currency, notify_url or return_url"));
    }
    let asked = Asked {
        channel: CHANNEL,
        payment_no: new.payment_no,
        amount_fen: new.amount_fen,
        currency: new.currency,
        subject: new.subject,
        pay_before: pay_before.as_millisecond(),
        notify_url: new.notify_url,
        return_url: new.return_url,
    };
    let Some(payment) = gateway.inner.store.ask(&asked).await? else {
        return Ok(Answer::error(
            409,
            "payment_no_used",
            "the number stands for another payment",
        ));
    };
    Ok(match payment.state {
        State::Open => {
            let pay_url = gateway.cashier_url(&payment.token);
            Answer::json(
                200,
                &json!({ "payment_no": payment.payment_no, "state": "open", "pay_url": pay_url }),
            )
        }
        State::Paid => Answer::error(409, "already_paid", "the payment is paid"),
        State::Closed | State::Failed => Answer::error(409, "closed", "the payment can no longer be paid"),
    })
}

async fn query(gateway: &Gateway, body: &[u8]) -> Result<Answer, sqlx::Error> {
    let asked: PaymentNumber = match read(gateway, body, |asked: &PaymentNumber| &asked.merchant) {
        Ok(asked) => asked,
        Err(answer) => return Ok(answer),
    };
    let payment = gateway.inner.store.payment(CHANNEL, &asked.payment_no).await?;
    standing(gateway, &asked, payment).await
}

async fn standing(gateway: &Gateway, asked: &PaymentNumber, payment: Option<Payment>) -> Result<Answer, sqlx::Error> {
    let mut node = json!({ "payment_no": asked.payment_no, "merchant": asked.merchant, "state": "unknown" });
    if let Some(payment) = payment {
        let money = gateway.inner.store.money(CHANNEL, &payment.payment_no).await?;
        let state = match payment.state {
            State::Open => "open",
            State::Paid => "succeeded",
            State::Closed => "closed",
            State::Failed => "failed",
        };
        let transaction = money.first().map_or("", |money| money.transaction_id.as_str());
        node["state"] = state.into();
        node["transaction_id"] = transaction.into();
        node["amount_fen"] = payment.amount_fen.into();
        node["currency"] = payment.currency.into();
    }
    Ok(Answer::json(200, &node))
}

async fn close(gateway: &Gateway, body: &[u8]) -> Result<Answer, sqlx::Error> {
    let asked: PaymentNumber = match read(gateway, body, |asked: &PaymentNumber| &asked.merchant) {
        Ok(asked) => asked,
        Err(answer) => return Ok(answer),
    };
    let store = &gateway.inner.store;
    if let Some(payment) = store.payment(CHANNEL, &asked.payment_no).await? {
        store.end(&payment, State::Closed, false).await?;
    }
    // Whatever came first, the answer says what is.
    let payment = store.payment(CHANNEL, &asked.payment_no).await?;
    standing(gateway, &asked, payment).await
}

async fn refund(gateway: &Gateway, body: &[u8]) -> Result<Answer, sqlx::Error> {
    let new: NewRefund = match read(gateway, body, |new: &NewRefund| &new.merchant) {
        Ok(new) => new,
        Err(answer) => return Ok(answer),
    };
    if new.refund_no.is_empty() || new.amount_fen < 1 || new.currency != CURRENCY {
        return Ok(malformed("refund_no, amount_fen or currency"));
    }
    let asked = AskedRefund {
        channel: CHANNEL,
        refund_no: new.refund_no.clone(),
        payment_no: new.payment_no.clone(),
        transaction_id: new.transaction_id,
        amount_fen: new.amount_fen,
        paid_fen: None,
        reason: new.reason,
        notify_url: new.notify_url,
    };
    let asking = gateway.inner.store.ask_refund(&asked, gateway.refund_takes()).await?;
    gateway.wake();
    let refused = |reason: &str| {
        let node = json!({
            "refund_no": new.refund_no, "payment_no": new.payment_no, "state": "refused", "reason": reason,
        });
        Answer::json(200, &node)
    };
    Ok(match asking {
        Asking::Taken(taken) => Answer::json(200, &refund_node(gateway, &taken.refund)),
        Asking::UnknownPayment => Answer::error(404, "payment_unknown", "there is no such payment"),
        Asking::NotPaid => Answer::error(409, "not_paid", "the payment has brought no money"),
        Asking::OtherParameters => Answer::error(409, "refund_no_used", "the number stands for another refund"),
        Asking::TooMuch => refused("more than is left of the payment"),
        Asking::NotEnough => refused("the merchant's account is empty"),
    })
}

async fn query_refund(gateway: &Gateway, body: &[u8]) -> Result<Answer, sqlx::Error> {
    let asked: RefundNumber = match read(gateway, body, |asked: &RefundNumber| &asked.merchant) {
        Ok(asked) => asked,
        Err(answer) => return Ok(answer),
    };
    let refund = gateway.inner.store.refund(CHANNEL, &asked.refund_no).await?;
    let node = refund.map_or_else(
        || json!({ "refund_no": asked.refund_no, "payment_no": "", "state": "unknown", "reason": "" }),
        |refund| refund_node(gateway, &refund),
    );
    Ok(Answer::json(200, &node))
}

fn refund_node(gateway: &Gateway, refund: &Refund) -> Value {
    let (state, reason) = match (refund.done_at <= gateway.now(), refund.succeeds) {
        (false, _) => ("processing", ""),
        (true, true) => ("succeeded", ""),
        (true, false) => ("refused", "the buyer's account is closed"),
    };
    json!({
        "refund_no": refund.refund_no, "payment_no": refund.payment_no, "state": state, "reason": reason,
    })
}
