//! Alipay: the buyer pays on Alipay's page.
//!
//! Requests are signed with the application's key. Answers and notices are verified with Alipay's over the bytes as they came:
//! answers over the text of their node, notices over their decoded form in their own charset.
//!
//! Alipay's protocol knows no time window. A captured notice can be sent again for ever, and is harmless for ever: it states a fact
//! about a numbered payment, and that fact takes effect once.

mod api;
mod notice;
pub mod signing;
#[cfg(test)]
mod tests;

use super::{
    CallbackAnswer, Channel, ChannelError, ChannelId, Closing, NewPayment, NewRefund, Notification, PaymentAction,
    PaymentState, RefundState, Rejected,
    crypto::{PublicKey, SigningKey},
    http::Http,
};
use crate::clock::{Clock, Milliseconds};
use axum::http::HeaderMap;
use futures::{
    FutureExt as _,
    future::{BoxFuture, ready},
};
use url::Url;

pub use signing::{LeftOut, Pair, pairs, signed_bytes};

/// Whose account it is, and its keys.
#[derive(Debug)]
pub struct Account {
    /// The application.
    pub app_id: String,
    /// Who receives the money.
    pub seller_id: String,
    /// The application's key, which signs our requests.
    pub key: SigningKey,
    /// What Alipay signs with.
    pub alipay_key: PublicKey,
}

/// The channel.
#[derive(Debug)]
pub struct Alipay {
    account: Account,
    merchant: String,
    gateway: Url,
    page_gateway: Url,
    notify_url: String,
    http: Http,
    clock: Clock,
}

/// Where Alipay is, and where we are for Alipay.
#[derive(Clone, Debug)]
pub struct Addresses {
    /// The gateway as this server reaches it.
    pub gateway: Url,
    /// The gateway as the buyer's browser reaches it.
    pub page_gateway: Url,
    /// Where notices come to.
    pub notify_url: String,
}

impl Alipay {
    /// A channel to a gateway.
    pub fn new(account: Account, addresses: Addresses, http: Http, clock: Clock) -> Self {
        Self {
            merchant: format!("{}/{}", account.app_id, account.seller_id),
            account,
            gateway: addresses.gateway,
            page_gateway: addresses.page_gateway,
            notify_url: addresses.notify_url,
            http,
            clock,
        }
    }
}

impl Channel for Alipay {
    fn id(&self) -> ChannelId {
        ChannelId::Alipay
    }

    fn merchant(&self) -> &str {
        &self.merchant
    }

    fn create<'a>(&'a self, payment: &'a NewPayment) -> BoxFuture<'a, Result<PaymentAction, ChannelError>> {
        ready(self.page_to_pay(payment)).boxed()
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
        payment_no: &'a str,
    ) -> BoxFuture<'a, Result<RefundState, ChannelError>> {
        self.ask_for_refund(refund_no, payment_no).boxed()
    }

    fn verify(&self, _headers: &HeaderMap, body: &[u8], _now: Milliseconds) -> Result<Notification, Rejected> {
        notice::verify(&self.account.alipay_key, body)
    }

    fn success(&self) -> CallbackAnswer {
        CallbackAnswer {
            status: 200,
            content_type: Some("text/plain"),
            body: "success",
        }
    }

    fn failure(&self) -> CallbackAnswer {
        // Alipay looks at the body only; the status is for our own monitoring.
        CallbackAnswer {
            status: 500,
            content_type: Some("text/plain"),
            body: "fail",
        }
    }
}
