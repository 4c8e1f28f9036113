//! Standard Webhooks' notifications.

use super::{
    Kind, LONG_AGO_MILLISECONDS, PROBE_PREFIX, SandboxKeys, SignedRequest, Tamper, What, another_name, unix_seconds,
};
use crate::{
    channels::standard_webhooks::{
        Secret,
        signing::{self, signature},
    },
    clock::{Milliseconds, rfc3339},
};
use serde_json::json;

impl SandboxKeys {
    pub(super) fn webhook_notification(
        &self,
        what: &What,
        tamper: Tamper,
        now: Milliseconds,
    ) -> Result<SignedRequest, String> {
        let body = self.webhook_body(what, tamper)?;
        let signed_at = match tamper {
            Tamper::Timestamp => now - LONG_AGO_MILLISECONDS,
            _ => now,
        };
        let id = format!("msg_{}", what.notice_id.replace(['-', '.'], ""));
        let secret = match tamper {
            Tamper::OtherKey | Tamper::UnknownKey => &another_secret()?,
            _ => self.webhook.first().ok_or("there is no webhook secret")?,
        };
        let signed = match tamper {
            Tamper::Signature => b"{}".to_vec(),
            _ => body.clone().into_bytes(),
        };
        let mut request = sign(secret, &id, &signed, signed_at);
        request.body = match tamper {
            Tamper::Ciphertext => body
                .replace(&what.payment_no, &another_name(&what.payment_no))
                .into_bytes(),
            _ => body.into_bytes(),
        };
        match tamper {
            Tamper::Probe => {
                for (name, value) in &mut request.headers {
                    if *name == signing::SIGNATURE_HEADER {
                        *value = value.replacen("v1,", &format!("v1,{PROBE_PREFIX}"), 1);
                    }
                }
            }
            Tamper::MissingHeader => request = request.without(signing::SIGNATURE_HEADER),
            _ => {}
        }
        Ok(request)
    }

    /// Signs any body as a message or an answer of the webhook provider.
    pub fn sign_webhook(&self, id: &str, body: &[u8], now: Milliseconds) -> Result<SignedRequest, String> {
        let secret = self.webhook.first().ok_or("there is no webhook secret")?;
        Ok(sign(secret, id, body, now))
    }

    fn webhook_body(&self, what: &What, tamper: Tamper) -> Result<String, String> {
        let merchant = match tamper {
            Tamper::Merchant | Tamper::App => another_name(&self.names.webhook_merchant),
            _ => self.names.webhook_merchant.clone(),
        };
        let kind = match what.kind {
            Kind::Paid => "payment.succeeded",
            Kind::Closed => "payment.closed",
            Kind::Failed => "payment.failed",
            Kind::Pending => "payment.pending",
            Kind::Refunded => "refund.succeeded",
            Kind::RefundRefused => "refund.refused",
        };
        let mut data = json!({
            "merchant": merchant,
            "payment_no": what.payment_no,
            "transaction_id": what.transaction_id,
            "amount_fen": what.amount_fen,
            "currency": what.currency,
        });
        if kind.starts_with("refund.") {
            let refund = what.refund.as_ref().ok_or("a refund's notification needs a refund")?;
            data["refund_no"] = refund.refund_no.clone().into();
            data["amount_fen"] = refund.amount_fen.into();
            data["reason"] = refund.reason.clone().into();
        }
        let event = json!({ "type": kind, "timestamp": rfc3339(what.happened_at), "data": data });
        Ok(event.to_string())
    }
}

fn another_secret() -> Result<Secret, String> {
    Secret::parse("whsec_b25jZW1hcnQtc2FuZGJveC1hbm90aGVyLXNlY3JldA==")
}

fn sign(secret: &Secret, id: &str, body: &[u8], now: Milliseconds) -> SignedRequest {
    let timestamp = unix_seconds(now);
    let signature = signature(secret, id, &timestamp, body);
    SignedRequest {
        headers: vec![
            ("content-type", "application/json".to_owned()),
            (signing::ID_HEADER, id.to_owned()),
            (signing::TIMESTAMP_HEADER, timestamp),
            (signing::SIGNATURE_HEADER, signature),
        ],
        body: body.to_vec(),
    }
}
