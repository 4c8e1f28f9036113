//! Callbacks of WeChat Pay: verify, then decrypt, then read.
//!
//! That a resource can be decrypted proves nothing: only the signature does. Every reason to reject looks the same from outside.

use super::{
    super::{Fact, Notification, PaidFact, PaymentState, Rejected, amount, crypto::open_aes_256_gcm, window},
    Account,
    signing::{
        NONCE_HEADER, SERIAL_HEADER, SIGNATURE_HEADER, SIGNATURE_TYPE, SIGNATURE_TYPE_HEADER, TIMESTAMP_HEADER,
        decode_signature, signed_message,
    },
};
use crate::clock::Milliseconds;
use axum::http::HeaderMap;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, de::DeserializeOwned};

/// What the signature of a probe begins with. WeChat Pay now and then signs wrongly to see whether merchants look.
const PROBE: &str = "WECHATPAY/SIGNTEST/";

/// Verifies an answer or a callback: the parts are there, the key is known, the signature fits, the time is near.
pub(super) fn authenticate(
    account: &Account,
    headers: &HeaderMap,
    body: &[u8],
    now: Milliseconds,
) -> Result<(), Rejected> {
    let part = |name| window::only(headers, name).ok_or(Rejected::Malformed);
    let timestamp = part(TIMESTAMP_HEADER)?;
    let nonce = part(NONCE_HEADER)?;
    let signature = part(SIGNATURE_HEADER)?;
    let serial = part(SERIAL_HEADER)?;
    let other_type = |kind: &axum::http::HeaderValue| !kind.is_empty() && kind != SIGNATURE_TYPE;
    if headers.get_all(SIGNATURE_TYPE_HEADER).iter().any(other_type) {
        return Err(Rejected::Malformed);
    }
    let key = account.platform_keys.get(serial).ok_or(Rejected::UnknownKey)?;
    let message = signed_message(timestamp, nonce, body);
    let fits = decode_signature(signature).is_some_and(|signature| key.verifies(&message, &signature));
    if !fits {
        // The label only: a probe fails as whatever else is signed wrongly.
        let is_probe = signature.starts_with(PROBE);
        return Err(if is_probe { Rejected::Probe } else { Rejected::Signature });
    }
    // Signed or not, only a time that was verified says anything.
    let seconds = window::seconds(timestamp).ok_or(Rejected::Malformed)?;
    if window::is_near(seconds, now) {
        Ok(())
    } else {
        Err(Rejected::Window)
    }
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    id: String,
    event_type: String,
    resource: Resource,
}

#[derive(Deserialize)]
struct Resource {
    algorithm: String,
    ciphertext: String,
    associated_data: Option<String>,
    nonce: String,
}

/// A payment, as callbacks and answers state it.
#[derive(Deserialize)]
pub(super) struct Transaction {
    #[serde(default)]
    mchid: String,
    #[serde(default)]
    appid: String,
    pub(super) out_trade_no: String,
    transaction_id: Option<String>,
    trade_state: String,
    amount: Option<Amount>,
}

#[derive(Deserialize)]
struct Amount {
    /// The price; `payer_total` would be less what WeChat Pay itself adds.
    #[serde(deserialize_with = "amount::fen")]
    total: i64,
    #[serde(default)]
    currency: String,
}

impl Transaction {
    /// What the trade state means; none if it promises money without saying which.
    pub(super) fn state(self) -> Option<PaymentState> {
        Some(match self.trade_state.as_str() {
            // REFUND is a payment that succeeded and of which some or all went back since.
            "SUCCESS" | "REFUND" => {
                let amount = self.amount?;
                PaymentState::Succeeded(PaidFact {
                    payment_no: self.out_trade_no,
                    transaction_id: self.transaction_id.filter(|id| !id.is_empty())?,
                    amount_fen: amount.total,
                    currency: amount.currency,
                    merchant: format!("{}/{}", self.mchid, self.appid),
                })
            }
            "CLOSED" | "REVOKED" => PaymentState::Closed,
            "PAYERROR" => PaymentState::Failed,
            _ => PaymentState::Open,
        })
    }
}

#[derive(Deserialize)]
struct Refund {
    mchid: String,
    out_trade_no: String,
    out_refund_no: String,
    amount: Option<RefundAmount>,
}

#[derive(Deserialize)]
struct RefundAmount {
    #[serde(deserialize_with = "amount::fen")]
    refund: i64,
}

/// Verifies and reads a callback.
pub(super) fn verify(
    account: &Account,
    headers: &HeaderMap,
    body: &[u8],
    now: Milliseconds,
) -> Result<Notification, Rejected> {
    authenticate(account, headers, body, now)?;
    let envelope: Envelope = parsed(body)?;
    let plain = opened(account, &envelope.resource).ok_or(Rejected::Decryption)?;
    let (merchant, fact) = match envelope.event_type.as_str() {
        "TRANSACTION.SUCCESS" => transaction(&plain, &envelope.event_type)?,
        "REFUND.SUCCESS" | "REFUND.ABNORMAL" | "REFUND.CLOSED" => refund(account, &plain, &envelope.event_type)?,
        other => (String::new(), Fact::NothingFinal { kind: other.to_owned() }),
    };
    Ok(Notification {
        id: envelope.id,
        merchant,
        fact,
    })
}

fn parsed<T: DeserializeOwned>(json: &[u8]) -> Result<T, Rejected> {
    serde_json::from_slice(json).map_err(|_| Rejected::Content)
}

fn opened(account: &Account, resource: &Resource) -> Option<Vec<u8>> {
    if resource.algorithm != "AEAD_AES_256_GCM" {
        return None;
    }
    let sealed = STANDARD.decode(&resource.ciphertext).ok()?;
    let additional = resource.associated_data.as_deref().unwrap_or_default();
    let key = account.api_v3_key.bytes();
    open_aes_256_gcm(key, resource.nonce.as_bytes(), additional.as_bytes(), &sealed)
}

fn transaction(plain: &[u8], event: &str) -> Result<(String, Fact), Rejected> {
    let transaction: Transaction = parsed(plain)?;
    let merchant = format!("{}/{}", transaction.mchid, transaction.appid);
    let payment_no = transaction.out_trade_no.clone();
    let kind = format!("{event} {}", transaction.trade_state);
    let fact = match transaction.state().ok_or(Rejected::Content)? {
        PaymentState::Succeeded(paid) => Fact::Paid(paid),
        PaymentState::Closed => Fact::PaymentEnded {
            payment_no,
            failed: false,
        },
        PaymentState::Failed => Fact::PaymentEnded {
            payment_no,
            failed: true,
        },
        PaymentState::Open | PaymentState::Unknown => Fact::NothingFinal { kind },
    };
    Ok((merchant, fact))
}

fn refund(account: &Account, plain: &[u8], event: &str) -> Result<(String, Fact), Rejected> {
    let refund: Refund = parsed(plain)?;
    // A refund's notice names the merchant and not the application, of which an account has one here.
    let merchant = if refund.mchid == account.mchid {
        format!("{}/{}", account.mchid, account.appid)
    } else {
        refund.mchid
    };
    let fact = match event {
        "REFUND.SUCCESS" => Fact::Refunded {
            refund_no: refund.out_refund_no,
            payment_no: refund.out_trade_no,
            amount_fen: refund.amount.map(|amount| amount.refund),
        },
        _ => Fact::RefundRefused {
            refund_no: refund.out_refund_no,
            payment_no: refund.out_trade_no,
            reason: event.trim_start_matches("REFUND.").to_owned(),
        },
    };
    Ok((merchant, fact))
}
