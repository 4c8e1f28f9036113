//! Any provider that signs as Standard Webhooks demands: requests, answers and events alike, each with the same three headers.
//!
//! Both sides know the same secrets, so what one side signed could be sent back to it. That does no harm: a request has no `state`
//! and is no answer, and neither has a `type` and is no event.

mod api;
mod event;
pub mod signing;
#[cfg(test)]
mod tests;

use super::{
    CallbackAnswer, Channel, ChannelError, ChannelId, Closing, NewPayment, NewRefund, Notification, PaymentAction,
    PaymentState, RefundState, Rejected, http::Http,
};
use crate::clock::{Clock, Milliseconds};
use axum::http::HeaderMap;
use futures::{FutureExt as _, future::BoxFuture};

pub use signing::{Secret, signature};

/// Whose account it is, and its secrets.
#[derive(Debug)]
pub struct Account {
    /// The merchant.
    pub merchant: String,
    /// The first signs our requests, all verify. Never empty.
    pub secrets: Vec<Secret>,
}

/// The channel.
#[derive(Debug)]
pub struct StandardWebhooks {
    account: Account,
    /// Where the API is, without a slash at its end.
    api: String,
    notify_url: String,
    http: Http,
    clock: Clock,
}

impl StandardWebhooks {
    /// A channel to the API at an address without a slash at its end. Events come to `notify_url`.
    pub fn new(account: Account, api: String, notify_url: String, http: Http, clock: Clock) -> Self {
        Self {
            account,
            api,
            notify_url,
            http,
            clock,
        }
    }
}

impl Channel for StandardWebhooks {
    fn id(&self) -> ChannelId {
        ChannelId::Webhook
    }

    fn merchant(&self) -> &str {
        &self.account.merchant
    }

    fn create<'a>(&'a self, payment: &'a NewPayment) -> BoxFuture<'a, Result<PaymentAction, ChannelError>> {
        self.ask_to_pay(payment).boxed()
    }

    fn query<'a>(&'a self, payment_no: &'a str) -> BoxFuture<'a, Result<PaymentState, ChannelError>> {
        self.ask_for_payment("/payments/query", payment_no).boxed()
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
        event::verify(&self.account.secrets, headers, body, now)
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
            status: 503,
            content_type: None,
            body: "",
        }
    }
}
