//! WeChat Pay, API v3, Native: the buyer scans a QR code.
//!
//! Requests are signed with the merchant's key; answers and callbacks are verified with WeChat Pay's over the bytes as they came,
//! and only then decrypted and read.

mod api;
mod notification;
pub mod platform_keys;
pub mod signing;
#[cfg(test)]
mod tests;

use super::{
    CallbackAnswer, Channel, ChannelError, ChannelId, Closing, NewPayment, NewRefund, Notification, PaymentAction,
    PaymentState, RefundState, Rejected, crypto::SigningKey, http::Http,
};
use crate::clock::{Clock, Milliseconds};
use axum::http::HeaderMap;
use futures::{FutureExt as _, future::BoxFuture};
use platform_keys::PlatformKeys;
use std::fmt;

pub use signing::{Authorization, request_message, signed_message};

/// The `APIv3` key: 32 characters, which are the 32 bytes of an AES-256 key.
#[derive(Clone)]
pub struct ApiV3Key([u8; 32]);

impl fmt::Debug for ApiV3Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiV3Key(not shown)")
    }
}

impl ApiV3Key {
    /// Takes the characters as they are, neither hexadecimal nor Base64.
    pub fn parse(text: &str) -> Result<Self, String> {
        let bytes = text.as_bytes().try_into();
        bytes.map(Self).map_err(|_| "is not 32 characters long".to_owned())
    }

    /// The key's bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Whose account it is, and its keys.
#[derive(Debug)]
pub struct Account {
    /// The merchant's number.
    pub mchid: String,
    /// The application.
    pub appid: String,
    /// Serial number of the merchant's certificate.
    pub serial: String,
    /// The merchant's key, which signs our requests.
    pub key: SigningKey,
    /// The key of what callbacks seal.
    pub api_v3_key: ApiV3Key,
    /// What WeChat Pay signs with.
    pub platform_keys: PlatformKeys,
}

/// The channel.
#[derive(Debug)]
pub struct Wechat {
    account: Account,
    merchant: String,
    /// Where the API is, without a slash at its end.
    api: String,
    notify_url: String,
    http: Http,
    clock: Clock,
}

impl Wechat {
    /// A channel to the API at an address without a slash at its end. Callbacks come to `notify_url`.
    pub fn new(account: Account, api: String, notify_url: String, http: Http, clock: Clock) -> Self {
        Self {
            merchant: format!("{}/{}", account.mchid, account.appid),
            account,
            api,
            notify_url,
            http,
            clock,
        }
    }
}

impl Channel for Wechat {
    fn id(&self) -> ChannelId {
        ChannelId::Wechat
    }

    fn merchant(&self) -> &str {
        &self.merchant
    }

    fn create<'a>(&'a self, payment: &'a NewPayment) -> BoxFuture<'a, Result<PaymentAction, ChannelError>> {
        self.ask_to_pay(payment).boxed()
    }

    fn query<'a>(&'a self, payment_no: &'a str) -> BoxFuture<'a, Result<PaymentState, ChannelError>> {
        self.ask_for_payment(payment_no).boxed()
    }

    fn close<'a>(&'a self, payment_no: &'a str) -> BoxFuture<'a, Result<Closing, ChannelError>> {
        self.ask_to_close(payment_no).boxed()
    }

    fn refund<'a>(&'a self, refund: &'a NewRefund) -> BoxFuture<'a, Result<RefundState, ChannelError>> {
        self.ask_to_refund(refund).boxed()
    }

    fn query_refund<'a>(
        &'a self,
        refund_no: &'a str,
        _payment_no: &'a str,
    ) -> BoxFuture<'a, Result<RefundState, ChannelError>> {
        self.ask_for_refund(refund_no).boxed()
    }

    fn verify(&self, headers: &HeaderMap, body: &[u8], now: Milliseconds) -> Result<Notification, Rejected> {
        notification::verify(&self.account, headers, body, now)
    }

    fn success(&self) -> CallbackAnswer {
        CallbackAnswer {
            status: 204,
            content_type: None,
            body: "",
        }
    }

    fn failure(&self) -> CallbackAnswer {
        CallbackAnswer {
            status: 500,
            content_type: Some("application/json"),
            body: r#"{"code":"FAIL","message":"not processed, please send again"}"#,
        }
    }
}
