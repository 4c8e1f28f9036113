//! Payment channels: each provider's protocol behind one trait, so that the rest of the shop speaks of payments and never of
//! WeChat Pay, Alipay or webhooks.
//!
//! A channel signs what it asks, verifies what it is told, and translates. It decides nothing about orders and touches no database.

pub mod alipay;
pub mod amount;
pub mod crypto;
pub mod http;
pub mod opening;
pub mod settings;
pub mod standard_webhooks;
#[cfg(test)]
mod test_support;
pub mod wechat;
pub mod window;

pub use opening::Channels;

use crate::clock::Milliseconds;
use axum::http::HeaderMap;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChannelId {
    /// WeChat Pay API v3.
    Wechat,
    /// Alipay.
    Alipay,
    /// Any provider that speaks Standard Webhooks.
    Webhook,
}

impl ChannelId {
    /// Every channel, in the order in which buyers see them.
    pub const ALL: [Self; 3] = [Self::Wechat, Self::Alipay, Self::Webhook];

    /// The name in addresses, tables and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wechat => "wechat",
            Self::Alipay => "alipay",
            Self::Webhook => "webhook",
        }
    }

    /// Reads the name back.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.as_str() == name)
    }
}

impl fmt::Display for ChannelId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A payment that a provider is asked to take.
#[derive(Clone, Debug)]
pub struct NewPayment {
    /// Our number, which is the provider's key: asking twice with the same number makes one payment.
    pub payment_no: String,
    /// To pay, in fen.
    pub amount_fen: i64,
    /// What the buyer reads at the provider.
    pub subject: String,
    /// Until when the provider takes the money.
    pub pay_before: Milliseconds,
    /// Where the provider leads the buyer back to.
    pub return_url: String,
}

/// How the buyer pays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentAction {
    /// Shows this text as a QR code.
    Qr(String),
    /// Goes to this address.
    Redirect(String),
}

/// What a provider says of a payment when asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentState {
    /// It can still be paid, or is just being paid.
    Open,
    /// It is paid.
    Succeeded(PaidFact),
    /// It can no longer be paid.
    Closed,
    /// It was tried and did not work; it can no longer be paid.
    Failed,
    /// The provider does not know the number.
    Unknown,
}

/// A payment that succeeded, as the provider states it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaidFact {
    /// Our number.
    pub payment_no: String,
    /// The provider's number of the money: one for each time that money moved.
    pub transaction_id: String,
    /// The price paid in fen, before anything that the provider itself adds.
    pub amount_fen: i64,
    /// ISO 4217.
    pub currency: String,
    /// Whose money it is, as [`Channel::merchant`] writes it.
    pub merchant: String,
}

/// A refund that a provider is asked to make.
#[derive(Clone, Debug)]
pub struct NewRefund {
    /// Our number, which is the provider's key.
    pub refund_no: String,
    /// Our number of the payment.
    pub payment_no: String,
    /// The provider's number of the money.
    pub transaction_id: String,
    /// To give back, in fen.
    pub amount_fen: i64,
    /// What the transaction brought in, in fen.
    pub paid_fen: i64,
    /// What the buyer reads at the provider.
    pub reason: String,
}

/// What a provider says of a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefundState {
    /// It is on its way.
    Processing,
    /// The money went back.
    Succeeded,
    /// The provider will not do it; a person must look. The text is the provider's reason.
    Refused(String),
    /// The provider does not know the number.
    Unknown,
}

/// What became of closing a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// It can no longer be paid (or was never known to the provider, or was closed before).
    Closed,
    /// It has been paid: ask for it.
    AlreadyPaid,
}

/// Why a provider gave no usable answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ChannelError {
    /// Not reached, too slow, or an answer that says "later". Whether it was done is unknown; asking again with the same number is
    /// safe.
    #[error("the payment channel could not be asked: {0}")]
    Unreached(String),
    /// A definite no. Asking again will not help.
    #[error("the payment channel refuses: {0}")]
    Refused(String),
    /// The answer is not signed by the provider, or makes no sense. Treated as not reached, and logged as an error.
    #[error("the payment channel's answer cannot be trusted: {0}")]
    Untrusted(String),
}

/// One verified callback.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification {
    /// The provider's number of this message: for the log only, never a key.
    pub id: String,
    /// Whose money it is about, as [`Channel::merchant`] writes it; empty if the message does not say.
    pub merchant: String,
    /// What it says.
    pub fact: Fact,
}

/// What a callback says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fact {
    /// Money arrived.
    Paid(PaidFact),
    /// A payment ended without money.
    PaymentEnded {
        /// Our number.
        payment_no: String,
        /// Whether it was tried and failed; otherwise it was closed.
        failed: bool,
    },
    /// Money went back.
    Refunded {
        /// Our number of the refund; empty if the message names only the payment (all of it went back).
        refund_no: String,
        /// Our number of the payment.
        payment_no: String,
        /// In fen, if the message says.
        amount_fen: Option<i64>,
    },
    /// A refund will not happen.
    RefundRefused {
        /// Our number of the refund.
        refund_no: String,
        /// Our number of the payment.
        payment_no: String,
        /// The provider's reason.
        reason: String,
    },
    /// Nothing that ends anything (still being paid, a test message): acknowledged, without effect.
    NothingFinal {
        /// The provider's name of it.
        kind: String,
    },
}

/// Why a callback is not believed. The reason is for the log and the metric; the sender learns nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// A header or field that the protocol demands is missing or malformed.
    #[error("a part that the protocol demands is missing or malformed")]
    Malformed,
    /// The signing key is not one of ours.
    #[error("the signing key is not known")]
    UnknownKey,
    /// The signature does not fit.
    #[error("the signature does not fit")]
    Signature,
    /// A provider's probe with a wrong signature on purpose.
    #[error("a signature probe")]
    Probe,
    /// Older or newer than the window.
    #[error("outside the time window")]
    Window,
    /// Signed, but not decryptable.
    #[error("cannot be decrypted")]
    Decryption,
    /// Signed, but not readable.
    #[error("cannot be read")]
    Content,
}

impl Rejected {
    /// The label of the metric.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::UnknownKey => "unknown_key",
            Self::Signature => "signature",
            Self::Probe => "probe",
            Self::Window => "window",
            Self::Decryption => "decryption",
            Self::Content => "content",
        }
    }
}

/// The exact bytes that a provider expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallbackAnswer {
    /// HTTP status.
    pub status: u16,
    /// Media type; none for an empty body.
    pub content_type: Option<&'static str>,
    /// Body.
    pub body: &'static str,
}

/// One provider's protocol.
pub trait Channel: Send + Sync + fmt::Debug {
    /// Which protocol it is.
    fn id(&self) -> ChannelId;

    /// Who receives the money at this provider (merchant and application), as notifications state it.
    fn merchant(&self) -> &str;

    /// Asks the provider to take a payment. Asking again with the same number gives the same payment.
    fn create<'a>(&'a self, payment: &'a NewPayment) -> BoxFuture<'a, Result<PaymentAction, ChannelError>>;

    /// Asks what became of a payment.
    fn query<'a>(&'a self, payment_no: &'a str) -> BoxFuture<'a, Result<PaymentState, ChannelError>>;

    /// Asks the provider to take no money for a payment any more.
    fn close<'a>(&'a self, payment_no: &'a str) -> BoxFuture<'a, Result<Closing, ChannelError>>;

    /// Asks the provider to give money back. Asking again with the same number gives the same refund.
    fn refund<'a>(&'a self, refund: &'a NewRefund) -> BoxFuture<'a, Result<RefundState, ChannelError>>;

    /// Asks what became of a refund.
    fn query_refund<'a>(
        &'a self,
        refund_no: &'a str,
        payment_no: &'a str,
    ) -> BoxFuture<'a, Result<RefundState, ChannelError>>;

    /// Verifies a callback over its raw bytes, within its time window, then decrypts and reads it. Touches nothing.
    fn verify(&self, headers: &HeaderMap, body: &[u8], now: Milliseconds) -> Result<Notification, Rejected>;

    /// The answer after which the provider sends no more.
    fn success(&self) -> CallbackAnswer;

    /// The answer after which the provider sends again.
    fn failure(&self) -> CallbackAnswer;
}
