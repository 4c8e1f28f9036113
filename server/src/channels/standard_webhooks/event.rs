//! Events: verified over their bytes, whatever their content type says, and read as JSON.

use super::{
    super::{Fact, Notification, PaidFact, Rejected, amount, window},
    signing::{ID_HEADER, SIGNATURE_HEADER, Secret, TIMESTAMP_HEADER, verifies},
};
use crate::clock::Milliseconds;
use axum::http::HeaderMap;
use serde::Deserialize;
use serde_json::value::RawValue;

/// Verifies an answer or an event; gives the message's number. The signed text joins its parts with dots, so the number has none.
pub(super) fn authenticate<'a>(
    secrets: &[Secret],
    headers: &'a HeaderMap,
    body: &[u8],
    now: Milliseconds,
) -> Result<&'a str, Rejected> {
    let part = |name| window::only(headers, name).ok_or(Rejected::Malformed);
    let id = part(ID_HEADER)?;
    let timestamp = part(TIMESTAMP_HEADER)?;
    let signatures = part(SIGNATURE_HEADER)?;
    let seconds = window::seconds(timestamp).filter(|_| !id.contains('.'));
    let seconds = seconds.ok_or(Rejected::Malformed)?;
    if !verifies(secrets, id, timestamp, signatures, body) {
        return Err(Rejected::Signature);
    }
    if window::is_near(seconds, now) {
        Ok(id)
    } else {
        Err(Rejected::Window)
    }
}

#[derive(Deserialize)]
struct Event<'a> {
    r#type: String,
    /// Read only for the types that are known: of others, nothing is known of their data.
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Payment {
    merchant: String,
    payment_no: String,
}

#[derive(Deserialize)]
struct Paid {
    transaction_id: String,
    #[serde(deserialize_with = "amount::fen")]
    amount_fen: i64,
    currency: String,
}

#[derive(Deserialize)]
struct Refund {
    refund_no: String,
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Deserialize)]
struct RefundAmount {
    #[serde(deserialize_with = "amount::fen")]
    amount_fen: i64,
}

/// Verifies and reads an event.
pub(super) fn verify(
    secrets: &[Secret],
    headers: &HeaderMap,
    body: &[u8],
    now: Milliseconds,
) -> Result<Notification, Rejected> {
    let id = authenticate(secrets, headers, body, now)?;
    let event: Event<'_> = serde_json::from_slice(body).map_err(|_| Rejected::Content)?;
    let (merchant, fact) = match event.r#type.as_str() {
        "payment.succeeded" | "payment.closed" | "payment.failed" | "refund.succeeded" | "refund.refused" => {
            let data = event.data.ok_or(Rejected::Content)?;
            fact(&event.r#type, data.get())?
        }
        _ => (String::new(), Fact::NothingFinal { kind: event.r#type }),
    };
    Ok(Notification {
        id: id.to_owned(),
        merchant,
        fact,
    })
}

fn fact(kind: &str, data: &str) -> Result<(String, Fact), Rejected> {
    let Payment { merchant, payment_no } = parsed(data)?;
    if merchant.is_empty() {
        return Err(Rejected::Content);
    }
    let fact = match kind {
        "payment.succeeded" => {
            let paid: Paid = parsed(data)?;
            // It is what tells one arrival of money from another.
            if paid.transaction_id.is_empty() {
                return Err(Rejected::Content);
            }
            Fact::Paid(PaidFact {
                payment_no,
                transaction_id: paid.transaction_id,
                amount_fen: paid.amount_fen,
                currency: paid.currency,
                merchant: merchant.clone(),
            })
        }
        "refund.succeeded" => Fact::Refunded {
            refund_no: parsed::<Refund>(data)?.refund_no,
            payment_no,
            amount_fen: parsed::<RefundAmount>(data).ok().map(|refund| refund.amount_fen),
        },
        "refund.refused" => {
            let refund: Refund = parsed(data)?;
            Fact::RefundRefused {
                refund_no: refund.refund_no,
                payment_no,
                reason: refund.reason.unwrap_or_default(),
            }
        }
        _ => Fact::PaymentEnded {
            payment_no,
            failed: kind == "payment.failed",
        },
    };
    Ok((merchant, fact))
}

fn parsed<'a, T: Deserialize<'a>>(data: &'a str) -> Result<T, Rejected> {
    serde_json::from_str(data).map_err(|_| Rejected::Content)
}
