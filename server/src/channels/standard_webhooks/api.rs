//! Requests to the provider: JSON by POST, signed with the first secret.

use super::{
    super::{
        ChannelError, Closing, NewPayment, NewRefund, PaidFact, PaymentAction, PaymentState, RefundState, amount,
        http::{parsed, same_number},
    },
    StandardWebhooks,
    event::authenticate,
    signing::{ID_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, signature},
};
use crate::clock::rfc3339;
use reqwest::header;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

#[derive(Deserialize)]
struct Opened {
    payment_no: String,
    pay_url: String,
}

#[derive(Deserialize)]
struct Payment {
    payment_no: String,
    state: String,
}

#[derive(Deserialize)]
struct Paid {
    payment_no: String,
    merchant: String,
    transaction_id: String,
    #[serde(deserialize_with = "amount::fen")]
    amount_fen: i64,
    currency: String,
}

#[derive(Deserialize)]
struct Refund {
    refund_no: String,
    state: String,
    reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ErrorFields {
    code: String,
    message: String,
}

impl StandardWebhooks {
    pub(super) async fn ask_to_pay(&self, payment: &NewPayment) -> Result<PaymentAction, ChannelError> {
        let body = json!({
            "payment_no": payment.payment_no,
            "merchant": self.account.merchant,
            "amount_fen": payment.amount_fen,
            "currency": amount::CURRENCY,
            "subject": payment.subject,
            "pay_before": rfc3339(payment.pay_before),
            "notify_url": self.notify_url,
            "return_url": payment.return_url,
        });
        let opened: Opened = parsed(&self.ask("/payments", &body).await?)?;
        same_number(&opened.payment_no, &payment.payment_no)?;
        Ok(PaymentAction::Redirect(opened.pay_url))
    }

    /// Asks for a payment, or asks to close it: the answer is the same.
    pub(super) async fn ask_for_payment(&self, path: &str, payment_no: &str) -> Result<PaymentState, ChannelError> {
        let body = json!({ "payment_no": payment_no, "merchant": self.account.merchant });
        let answer = self.ask(path, &body).await?;
        let payment: Payment = parsed(&answer)?;
        same_number(&payment.payment_no, payment_no)?;
        Ok(match payment.state.as_str() {
            "open" => PaymentState::Open,
            "closed" => PaymentState::Closed,
            "failed" => PaymentState::Failed,
            "unknown" => PaymentState::Unknown,
            "succeeded" => {
                let paid: Paid = parsed(&answer)?;
                if paid.transaction_id.is_empty() {
                    return Err(ChannelError::Untrusted("a payment without its number".to_owned()));
                }
                PaymentState::Succeeded(PaidFact {
                    payment_no: paid.payment_no,
                    transaction_id: paid.transaction_id,
                    amount_fen: paid.amount_fen,
                    currency: paid.currency,
                    merchant: paid.merchant,
                })
            }
            _ => return Err(unknown_state()),
        })
    }

    pub(super) async fn ask_to_close(&self, payment_no: &str) -> Result<Closing, ChannelError> {
        match self.ask_for_payment("/payments/close", payment_no).await? {
            PaymentState::Succeeded(_) => Ok(Closing::AlreadyPaid),
            PaymentState::Closed | PaymentState::Failed | PaymentState::Unknown => Ok(Closing::Closed),
            PaymentState::Open => Err(ChannelError::Unreached("the payment is still open".to_owned())),
        }
    }

    pub(super) async fn ask_to_refund(&self, refund: &NewRefund) -> Result<RefundState, ChannelError> {
        let body = json!({
            "refund_no": refund.refund_no,
            "payment_no": refund.payment_no,
            "transaction_id": refund.transaction_id,
            "merchant": self.account.merchant,
            "amount_fen": refund.amount_fen,
            "currency": amount::CURRENCY,
            "reason": refund.reason,
            "notify_url": self.notify_url,
        });
        refund_state(&self.ask("/refunds", &body).await?, &refund.refund_no)
    }

    pub(super) async fn ask_for_refund(&self, refund_no: &str) -> Result<RefundState, ChannelError> {
        let body = json!({ "refund_no": refund_no, "merchant": self.account.merchant });
        refund_state(&self.ask("/refunds/query", &body).await?, refund_no)
    }

    /// Signs and sends a request and verifies the answer. A no is verified too, because the shop acts upon it.
    async fn ask(&self, path: &str, body: &Value) -> Result<Vec<u8>, ChannelError> {
        let refused = |text: &str| ChannelError::Refused(text.to_owned());
        let url = Url::parse(&format!("{}{path}", self.api)).map_err(|error| refused(&error.to_string()))?;
        let secret = self
            .account
            .secrets
            .first()
            .ok_or_else(|| refused("there is no secret"))?;
        let body = body.to_string().into_bytes();
        let id = format!("msg_{:032x}", rand::random::<u128>());
        let timestamp = (self.clock.now() / 1_000).to_string();
        let request = self
            .http
            .post(url)
            .header(header::CONTENT_TYPE, "application/json")
            .header(SIGNATURE_HEADER, signature(secret, &id, &timestamp, &body))
            .header(ID_HEADER, id)
            .header(TIMESTAMP_HEADER, timestamp)
            .body(body);
        let answer = self.http.send(request).await?;
        authenticate(&self.account.secrets, &answer.headers, &answer.body, self.clock.now())
            .map_err(|reason| ChannelError::Untrusted(format!("{reason} (HTTP {})", answer.status)))?;
        if (200..300).contains(&answer.status) {
            return Ok(answer.body);
        }
        let error: ErrorFields = serde_json::from_slice(&answer.body).unwrap_or_default();
        let text = format!("HTTP {} {}: {}", answer.status, error.code, error.message);
        Err(ChannelError::Refused(text))
    }
}

fn refund_state(answer: &[u8], refund_no: &str) -> Result<RefundState, ChannelError> {
    let refund: Refund = parsed(answer)?;
    same_number(&refund.refund_no, refund_no)?;
    Ok(match refund.state.as_str() {
        "processing" => RefundState::Processing,
        "succeeded" => RefundState::Succeeded,
        "refused" => RefundState::Refused(refund.reason.unwrap_or_default()),
        "unknown" => RefundState::Unknown,
        _ => return Err(unknown_state()),
    })
}

fn unknown_state() -> ChannelError {
    ChannelError::Untrusted("the answer names a state that there is not".to_owned())
}
