//! Notifications as the providers sign them, well or, when asked, badly in one named way.

mod alipay;
mod webhook;
mod wechat;

use super::keys::SandboxKeys;
use crate::{
    channels::{ChannelId, amount::CURRENCY, window},
    clock::Milliseconds,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// What a notification tells.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct What {
    /// The kind of news.
    pub kind: Kind,
    /// The provider's number of the message, the same in every attempt.
    pub notice_id: String,
    /// The shop's number of the payment (`out_trade_no`).
    pub payment_no: String,
    /// The provider's number of the money.
    pub transaction_id: String,
    /// The payment's price in fen.
    pub amount_fen: i64,
    /// ISO 4217.
    pub currency: String,
    /// What was bought.
    pub subject: String,
    /// Of a refund: which.
    pub refund: Option<RefundPart>,
    /// When it happened.
    pub happened_at: Milliseconds,
    /// How Alipay's form is encoded.
    pub charset: Charset,
    /// Which of WeChat Pay's keys signs.
    pub signer: Signer,
}

impl What {
    /// News of a payment in the shop's currency, with a message number of its own.
    pub fn of_payment(kind: Kind, payment_no: &str, transaction_id: &str, amount_fen: i64, at: Milliseconds) -> Self {
        Self {
            kind,
            notice_id: uuid::Uuid::new_v4().to_string(),
            payment_no: payment_no.to_owned(),
            transaction_id: transaction_id.to_owned(),
            amount_fen,
            currency: CURRENCY.to_owned(),
            subject: "Oncemart".to_owned(),
            refund: None,
            happened_at: at,
            charset: Charset::default(),
            signer: Signer::default(),
        }
    }
}

/// The refund that a notification tells of.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct RefundPart {
    /// The shop's number (`out_refund_no`, `out_request_no`); empty leaves it out where the protocol allows.
    pub refund_no: String,
    /// The provider's number.
    pub provider_no: String,
    /// This refund, in fen.
    pub amount_fen: i64,
    /// Everything given back of the payment so far, this refund with it, in fen.
    pub refunded_fen: i64,
    /// Why.
    pub reason: String,
}

/// Kinds of news.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Money arrived.
    Paid,
    /// The payment was closed without money.
    Closed,
    /// The payment was tried and failed.
    Failed,
    /// The payment is not paid yet.
    Pending,
    /// Money went back.
    Refunded,
    /// Money will not go back.
    RefundRefused,
}

/// Encodings of Alipay's forms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Charset {
    /// UTF-8.
    #[default]
    #[value(name = "utf-8")]
    Utf8,
    /// GBK, as many older merchants have it.
    Gbk,
}

/// Which key WeChat Pay signs with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Signer {
    /// The key with a `PUB_KEY_ID_…`.
    #[default]
    PublicKey,
    /// The platform certificate.
    Certificate,
}

/// What is wrong with a notification, on purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Tamper {
    /// Nothing.
    #[default]
    None,
    /// Signed well, another amount.
    Amount,
    /// Signed well, another currency.
    Currency,
    /// Signed well, another merchant's.
    Merchant,
    /// Signed well, another application's of the merchant.
    App,
    /// The signature is another message's.
    Signature,
    /// Signed well, but long ago.
    Timestamp,
    /// WeChat Pay's probe: a signature that begins with WECHATPAY/SIGNTEST/ and cannot fit.
    Probe,
    /// WeChat Pay: sealed content that does not open, signed well; elsewhere a body changed after signing.
    Ciphertext,
    /// Signed by a key that is not the one it claims.
    OtherKey,
    /// WeChat Pay: the serial number of a key that nobody knows; elsewhere like other-key.
    UnknownKey,
    /// A part that the protocol demands is left out.
    MissingHeader,
}

/// The name of a value as the command line and the tables write it.
pub fn name_of(value: &impl ValueEnum) -> String {
    value
        .to_possible_value()
        .map_or_else(String::new, |value| value.get_name().to_owned())
}

/// A request that is ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedRequest {
    /// Names in lower case, and values.
    pub headers: Vec<(&'static str, String)>,
    /// Body.
    pub body: Vec<u8>,
}

impl SignedRequest {
    /// The headers as HTTP libraries take them. A value that cannot stand in a header is left out.
    pub fn header_map(&self) -> HeaderMap {
        let pairs = self.headers.iter();
        pairs
            .filter_map(|(name, value)| Some((HeaderName::from_static(name), HeaderValue::from_str(value).ok()?)))
            .collect()
    }

    fn without(mut self, header: &str) -> Self {
        self.headers.retain(|(name, _)| *name != header);
        self
    }
}

/// What a probe's signature begins with. Every character is Base64's, but the length is not.
pub const PROBE_PREFIX: &str = "WECHATPAY/SIGNTEST/";

/// How far back an old signature lies: outside every window of minutes.
const LONG_AGO_MILLISECONDS: i64 = 10 * 60 * 1_000;

impl SandboxKeys {
    /// Signs a notification as its provider does. Each call signs (and, for WeChat Pay, seals) anew.
    pub fn notification(
        &self,
        channel: ChannelId,
        what: &What,
        tamper: Tamper,
        now: Milliseconds,
    ) -> Result<SignedRequest, String> {
        let mut what = what.clone();
        match tamper {
            Tamper::Amount => what.amount_fen = another_amount(what.amount_fen),
            Tamper::Currency => "USD".clone_into(&mut what.currency),
            _ => {}
        }
        match channel {
            ChannelId::Wechat => self.wechat_notification(&what, tamper, now),
            ChannelId::Alipay => self.alipay_notification(&what, tamper, now),
            ChannelId::Webhook => self.webhook_notification(&what, tamper, now),
        }
    }
}

/// One fen less, or more where there is no less.
fn another_amount(fen: i64) -> i64 {
    if fen > 1 { fen - 1 } else { fen.saturating_add(1) }
}

/// Another name of the same shape: its last digit is another.
fn another_name(name: &str) -> String {
    let mut other = name.to_owned();
    let last = other.pop();
    other.push(if last == Some('0') { '1' } else { '0' });
    other
}

fn unix_seconds(at: Milliseconds) -> String {
    at.div_euclid(1_000).to_string()
}

/// China time as WeChat Pay writes it: RFC 3339 with its offset.
pub(super) fn china_rfc3339(at: Milliseconds) -> String {
    format!("{}+08:00", window::in_china(at))
}

/// China time as Alipay writes it, without a zone.
pub(super) fn china_plain(at: Milliseconds) -> String {
    window::in_china(at).to_string().replace('T', " ")
}

#[cfg(test)]
mod tests;
