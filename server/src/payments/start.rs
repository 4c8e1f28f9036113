//! Beginning a payment: the one use case behind the order page's buttons and the JSON API.
//!
//! Its natural key is (order, channel, open payment): the payment's number. The intent is a row in `payment`; the channel is asked
//! with that number and no transaction open; then the way to pay is stored under the fence. Asking a channel twice with one number
//! makes one payment there.

use super::{Payments, letter, rows};
use crate::{
    caller::Caller,
    channels::{Channel, ChannelError, ChannelId, NewPayment, PaymentAction},
    clock::{Clock, Milliseconds, milliseconds},
    domain::order_number::payment_number,
    durations::Durations,
    idempotency::{
        Answer, Applied, Call, Digest, FirstClaim, Intended, Operation, Outcome, Planned, ScopedKey, Unanswered,
    },
    problem::{Problem, ProblemKind},
};
use serde_json::json;
use sqlx::{AnyConnection, Row as _};
use std::sync::Arc;

/// Kind of operation in the table of idempotent records.
const BIZ_TYPE: &str = "payment";

/// What of an order a payment needs.
struct Payable {
    owner: String,
    amount_fen: i64,
    pay_before: Milliseconds,
}

/// A payment to be begun.
#[derive(Debug)]
struct StartPayment {
    channel: Arc<dyn Channel>,
    order_no: String,
    ordinal: i64,
    payment: NewPayment,
    clock: Clock,
    durations: Durations,
}

impl Payments {
    /// Begins a payment of the caller's order, or finds the one that is open.
    pub async fn start(
        &self,
        caller: &Caller,
        order_no: &str,
        channel: ChannelId,
        return_url: &str,
    ) -> Result<Outcome, Problem> {
        let (payable, ordinal) = {
            let mut connection = self.database().reader().await?;
            let payable = payable(&mut connection, order_no)
                .await?
                .filter(|payable| payable.owner == caller.owner())
                .ok_or_else(Problem::not_found)?;
            let ended = rows::ended_payments(&mut connection, order_no, channel).await?;
            (payable, ended + 1)
        };
        self.start_numbered(order_no, &payable, channel, ordinal, return_url)
            .await
    }

    /// Goes on with a payment whose beginning was cut off. The same key and the same number: nothing happens twice.
    pub(super) async fn resume_start(&self, payment: &rows::Payment) -> Result<(), Problem> {
        let payable = payable(&mut *self.database().reader().await?, &payment.order_no).await?;
        if let Some(payable) = payable {
            let (channel, ordinal) = (payment.channel, payment.ordinal);
            self.start_numbered(&payment.order_no, &payable, channel, ordinal, &payment.return_url)
                .await?;
        }
        Ok(())
    }

    async fn start_numbered(
        &self,
        order_no: &str,
        payable: &Payable,
        channel: ChannelId,
        ordinal: i64,
        return_url: &str,
    ) -> Result<Outcome, Problem> {
        let open = self.channels.get(channel).ok_or_else(|| {
            let detail = format!("This shop takes no payments by {channel}.");
            Problem::new(ProblemKind::ChannelNotAvailable, detail)
        })?;
        let payment_no = payment_number(order_no, letter(channel), ordinal);
        let operation = StartPayment {
            order_no: order_no.to_owned(),
            ordinal,
            payment: NewPayment {
                payment_no: payment_no.clone(),
                amount_fen: payable.amount_fen,
                subject: format!("Oncemart {order_no}"),
                pay_before: payable.pay_before,
                return_url: return_url.to_owned(),
            },
            channel: Arc::clone(&open),
            clock: self.executor.clock,
            durations: self.executor.durations,
        };
        let call = Call {
            key: ScopedKey::new(BIZ_TYPE, &payable.owner, &payment_no),
            digest: Digest::of(BIZ_TYPE, &payment_no)?,
            first_claim: FirstClaim::Allowed,
            operation,
        };
        let outcome = self.executor.execute(call).await;
        // A definite no ends this payment; the next press begins another, with a number of its own.
        if matches!(&outcome, Outcome::Refused(reason) if *reason == channel_refuses()) {
            self.payment_ended(&*open, payment_no, true)
                .await
                .unwrap_or_else(|error| {
                    tracing::warn!(%error, "a refused payment is not ended now; the sweep will ask again");
                });
        }
        Ok(outcome)
    }
}

/// What a buyer is told of a channel's definite no; why is in the log.
fn channel_refuses() -> Answer {
    let detail = "The payment channel does not take this payment. Choose another.";
    Problem::new(ProblemKind::ChannelRefused, detail).to_answer()
}

async fn payable(connection: &mut AnyConnection, order_no: &str) -> Result<Option<Payable>, sqlx::Error> {
    let row = sqlx::query("SELECT owner, total_fen, pay_before FROM orders WHERE order_no = $1")
        .bind(order_no)
        .fetch_optional(connection)
        .await?;
    row.map(|row| {
        Ok(Payable {
            owner: row.try_get("owner")?,
            amount_fen: row.try_get("total_fen")?,
            pay_before: row.try_get("pay_before")?,
        })
    })
    .transpose()
}

impl Operation for StartPayment {
    type Plan = PaymentAction;
    type Reply = PaymentAction;

    const ASKS_OUTSIDE: bool = true;

    async fn intend(&self, transaction: &mut AnyConnection) -> Result<Intended, sqlx::Error> {
        let now = self.clock.now();
        // The completer leaves a payment alone while whoever began it may still be at it.
        let ask_at = now.saturating_add(milliseconds(self.durations.first_question));
        let ask_at = ask_at.min(
            self.payment
                .pay_before
                .saturating_add(milliseconds(self.durations.close_delay)),
        );
        let (order_no, return_url) = (&self.order_no, &self.payment.return_url);
        let channel = self.channel.id();
        if rows::insert_intent(transaction, order_no, channel, self.ordinal, return_url, now, ask_at).await?
            || rows::is_open(transaction, &self.payment.payment_no).await?
        {
            return Ok(Intended::Written);
        }
        let refusal = Problem::new(
            ProblemKind::OrderNotPayable,
            "The order is paid, closed, or past its time.",
        );
        Ok(Intended::Refused(refusal.to_answer()))
    }

    async fn ask(&self) -> Result<PaymentAction, Unanswered> {
        self.channel.create(&self.payment).await.map_err(|error| match error {
            ChannelError::Refused(reason) => {
                tracing::error!(
                    payment_no = self.payment.payment_no,
                    reason,
                    "a channel refuses a payment"
                );
                Unanswered::Refused(channel_refuses())
            }
            ChannelError::Unreached(reason) => {
                tracing::warn!(
                    payment_no = self.payment.payment_no,
                    reason,
                    "a channel was not reached"
                );
                Unanswered::Unknown
            }
            ChannelError::Untrusted(reason) => {
                tracing::error!(
                    payment_no = self.payment.payment_no,
                    reason,
                    "a channel's answer is not signed as it must be"
                );
                Unanswered::Unknown
            }
        })
    }

    async fn plan(&self, _: &mut AnyConnection, action: &PaymentAction) -> Result<Planned<PaymentAction>, sqlx::Error> {
        let (kind, url) = match action {
            PaymentAction::Qr(text) => ("qr", text),
            PaymentAction::Redirect(url) => ("redirect", url),
        };
        let body = json!({ "payment_no": self.payment.payment_no, "action": { "type": kind, "url": url } });
        let location = format!("/orders/{}", self.order_no);
        let headers = [("content-type", "application/json"), ("location", location.as_str())];
        Ok(Planned::Feasible(
            action.clone(),
            Answer::new(201, &headers, body.to_string()),
        ))
    }

    async fn apply(&self, transaction: &mut AnyConnection, action: &PaymentAction) -> Result<Applied, sqlx::Error> {
        rows::open_payment(transaction, &self.payment.payment_no, action, self.clock.now()).await?;
        Ok(Applied::Done)
    }
}
