//! Driving intents on: asks a channel what became of a payment or refund, closes and refunds there, and lets the answers count
//! the same way as callbacks.
//!
//! Every call may be made again: the intents' own numbers are the channels' keys. No transaction or connection is held while a
//! channel is asked.

use super::{Payments, callback::Received, rows};
use crate::{
    channels::{Channel, ChannelError, ChannelId, Closing, Fact, Notification, PaymentState, RefundState},
    clock::{Milliseconds, milliseconds},
};
use std::{sync::Arc, time::Duration};

/// Why something is not driven on now. All of it passes, or needs a person who finds it in the log.
#[derive(Debug, thiserror::Error)]
pub enum NotDriven {
    /// The channel gave no usable answer.
    #[error(transparent)]
    Channel(#[from] ChannelError),
    /// The database did not take it.
    #[error("the database could not be asked: {0}")]
    Database(#[from] sqlx::Error),
    /// Somebody else is at it.
    #[error("somebody else is at it")]
    Busy,
    /// The channel's settings are gone.
    #[error("the payment channel {0} is not open in this shop any more")]
    NoChannel(ChannelId),
}

impl Payments {
    fn channel(&self, id: ChannelId) -> Result<Arc<dyn Channel>, NotDriven> {
        self.channels.get(id).ok_or(NotDriven::NoChannel(id))
    }

    /// Asks what became of a payment.
    pub async fn ask_payment(&self, payment: &rows::Payment) -> Result<(), NotDriven> {
        let channel = self.channel(payment.channel)?;
        let payment_no = payment.payment_no.clone();
        match channel.query(&payment.payment_no).await? {
            PaymentState::Succeeded(paid) => {
                self.let_count_asked(&*channel, paid.merchant.clone(), Fact::Paid(paid))
                    .await
            }
            PaymentState::Closed => self.payment_ended(&*channel, payment_no, false).await,
            PaymentState::Failed => self.payment_ended(&*channel, payment_no, true).await,
            // A payment that its buyer has not looked at yet can be unknown to its channel.
            PaymentState::Open | PaymentState::Unknown => Ok(()),
        }
    }

    /// Closes a payment at its channel, because its order takes no money any more. Money that was faster counts.
    pub async fn close_payment(&self, payment: &rows::Payment) -> Result<(), NotDriven> {
        let channel = self.channel(payment.channel)?;
        match channel.close(&payment.payment_no).await? {
            Closing::Closed => self.payment_ended(&*channel, payment.payment_no.clone(), false).await,
            Closing::AlreadyPaid => self.ask_payment(payment).await,
        }
    }

    pub(super) async fn payment_ended(
        &self,
        channel: &dyn Channel,
        payment_no: String,
        failed: bool,
    ) -> Result<(), NotDriven> {
        let fact = Fact::PaymentEnded { payment_no, failed };
        self.let_count_asked(channel, String::new(), fact).await
    }

    /// Gives money back. The first time it acts; later it asks first what became of it, and acts again only if the channel does not
    /// know the number.
    pub async fn drive_refund(&self, refund: &rows::Refund) -> Result<(), NotDriven> {
        let channel = self.channel(refund.channel)?;
        let asked = &refund.asked;
        let known = if refund.questions == 0 {
            RefundState::Unknown
        } else {
            channel.query_refund(&asked.refund_no, &asked.payment_no).await?
        };
        let state = match known {
            RefundState::Unknown => match channel.refund(asked).await {
                Err(ChannelError::Refused(reason)) => RefundState::Refused(reason),
                other => other?,
            },
            known => known,
        };
        let (refund_no, payment_no) = (asked.refund_no.clone(), asked.payment_no.clone());
        let fact = match state {
            RefundState::Processing | RefundState::Unknown => return Ok(()),
            RefundState::Succeeded => Fact::Refunded {
                refund_no,
                payment_no,
                amount_fen: Some(asked.amount_fen),
            },
            RefundState::Refused(reason) => Fact::RefundRefused {
                refund_no,
                payment_no,
                reason,
            },
        };
        self.let_count_asked(&*channel, String::new(), fact).await
    }

    /// What a channel says when asked goes the way of its callbacks.
    async fn let_count_asked(&self, channel: &dyn Channel, merchant: String, fact: Fact) -> Result<(), NotDriven> {
        let notification = Notification {
            id: "asked".to_owned(),
            merchant,
            fact,
        };
        match self.hear(channel, &notification).await? {
            Received::Accepted => Ok(()),
            Received::NotNow | Received::Forged => Err(NotDriven::Busy),
        }
    }

    /// When to ask again after so many questions: each time twice as long, up to a limit.
    pub fn next_question(&self, questions: i64) -> Milliseconds {
        let durations = self.durations();
        self.now().saturating_add(milliseconds(question_gap(
            durations.first_question,
            durations.last_question,
            questions,
        )))
    }
}

fn question_gap(first: Duration, last: Duration, questions: i64) -> Duration {
    let doublings = u32::try_from(questions.clamp(0, 20)).unwrap_or(0);
    first.saturating_mul(1 << doublings).min(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_become_rarer_up_to_a_limit() {
        let gap = |questions| question_gap(Duration::from_secs(30), Duration::from_hours(1), questions).as_secs();
        assert_eq!(
            [gap(0), gap(1), gap(2), gap(7), gap(i64::MAX)],
            [30, 60, 120, 3_600, 3_600]
        );
    }
}
