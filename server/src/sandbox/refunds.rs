//! Refunds as the provider keeps them: once for each number, never more than the money was.

use super::{
    behaviour::{Misbehaviour, Plan},
    books::{self, Money, Payment, State},
    notices,
    sign::{Kind, RefundPart},
    store::Store,
};
use crate::{channels::ChannelId, clock::Milliseconds};
use sqlx::{AnyConnection, Row as _, any::AnyRow};
use std::time::Duration;

/// A refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    /// The shop's number.
    pub refund_no: String,
    /// The provider's number.
    pub provider_no: String,
    /// The shop's number of the payment.
    pub payment_no: String,
    /// The provider's number of the money.
    pub transaction_id: String,
    /// In fen.
    pub amount_fen: i64,
    /// Why.
    pub reason: String,
    /// Whether it ends well.
    pub succeeds: bool,
    /// When it was asked for.
    pub created_at: Milliseconds,
    /// When it ends.
    pub done_at: Milliseconds,
}

/// A refund that is asked for.
#[derive(Clone, Debug)]
pub struct AskedRefund {
    /// Over which protocol.
    pub channel: ChannelId,
    /// The shop's number.
    pub refund_no: String,
    /// The shop's number of the payment; empty if the money is named.
    pub payment_no: String,
    /// The provider's number of the money; empty means the payment's first.
    pub transaction_id: String,
    /// In fen.
    pub amount_fen: i64,
    /// What the merchant believes that the money was, in fen, where the protocol has it say so.
    pub paid_fen: Option<i64>,
    /// Why.
    pub reason: String,
    /// Where its notification goes; empty means where the payment's go.
    pub notify_url: String,
}

/// A refund that the provider took.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The refund.
    pub refund: Refund,
    /// Its money, this refund counted.
    pub money: Money,
    /// Whether this very request made it.
    pub fresh: bool,
}

/// What became of asking.
#[derive(Clone, Debug)]
pub enum Asking {
    /// It is a refund.
    Taken(Box<Taken>),
    /// There is no such payment or money.
    UnknownPayment,
    /// The payment has brought no money.
    NotPaid,
    /// The number stands for another refund.
    OtherParameters,
    /// More than is left.
    TooMuch,
    /// The merchant's account is empty, says the misbehaviour.
    NotEnough,
}

impl Store {
    /// Asks for a refund, which ends after `takes`.
    pub async fn ask_refund(&self, asked: &AskedRefund, takes: Duration) -> Result<Asking, sqlx::Error> {
        let now = self.clock.now();
        let mut connection = self.writer().await?;
        let mut transaction = self.begin(&mut connection).await?;
        let Some((payment, money)) = money_of(&mut transaction, asked, now).await? else {
            return Ok(Asking::UnknownPayment);
        };
        let Some(mut money) = money else {
            return Ok(Asking::NotPaid);
        };
        if asked.paid_fen.is_some_and(|fen| fen != money.amount_fen) {
            return Ok(Asking::OtherParameters);
        }
        if let Some(refund) = find(&mut transaction, asked.channel, &asked.refund_no).await? {
            let same = refund.transaction_id == money.transaction_id && refund.amount_fen == asked.amount_fen;
            return Ok(if same {
                Asking::Taken(Box::new(Taken {
                    refund,
                    money,
                    fresh: false,
                }))
            } else {
                Asking::OtherParameters
            });
        }
        // Alipay gives back at once or not at all.
        let refuses = payment.misbehaviour == Misbehaviour::RefuseRefunds
            || (asked.channel == ChannelId::Alipay && payment.misbehaviour == Misbehaviour::FailRefunds);
        if refuses {
            return Ok(Asking::NotEnough);
        }
        let refund = new_refund(asked, &payment, &money, now, takes);
        if !take_back(&mut transaction, &refund).await? {
            return Ok(Asking::TooMuch);
        }
        if refund.succeeds {
            money.refunded_fen += refund.amount_fen;
        }
        write(&mut transaction, asked.channel, &refund).await?;
        tell(&mut transaction, asked, &payment, &refund, money.refunded_fen).await?;
        transaction.commit().await?;
        Ok(Asking::Taken(Box::new(Taken {
            refund,
            money,
            fresh: true,
        })))
    }

    /// A refund by its number.
    pub async fn refund(&self, channel: ChannelId, refund_no: &str) -> Result<Option<Refund>, sqlx::Error> {
        find(&mut *self.reader().await?, channel, refund_no).await
    }
}

fn new_refund(asked: &AskedRefund, payment: &Payment, money: &Money, now: Milliseconds, takes: Duration) -> Refund {
    let digits = u64::from_be_bytes(rand::random()) % 1_000_000_000_000_000;
    Refund {
        refund_no: asked.refund_no.clone(),
        provider_no: format!("50{now:013}{digits:015}"),
        payment_no: payment.payment_no.clone(),
        transaction_id: money.transaction_id.clone(),
        amount_fen: asked.amount_fen,
        reason: asked.reason.clone(),
        succeeds: payment.misbehaviour != Misbehaviour::FailRefunds,
        created_at: now,
        done_at: now.saturating_add(crate::clock::milliseconds(takes)),
    }
}

/// The payment and the money that a refund is about.
async fn money_of(
    connection: &mut AnyConnection,
    asked: &AskedRefund,
    now: Milliseconds,
) -> Result<Option<(Payment, Option<Money>)>, sqlx::Error> {
    let mut payment_no = asked.payment_no.clone();
    if payment_no.is_empty() {
        let row = sqlx::query("SELECT payment_no FROM money WHERE channel = $1 AND transaction_id = $2")
            .bind(asked.channel.as_str())
            .bind(asked.transaction_id.as_str())
            .fetch_optional(&mut *connection)
            .await?;
        let Some(row) = row else { return Ok(None) };
        payment_no = row.try_get("payment_no")?;
    }
    let Some(payment) = books::find(connection, asked.channel, &payment_no, now).await? else {
        return Ok(None);
    };
    let money = books::money(connection, asked.channel, &payment_no).await?;
    let named = |money: &Money| asked.transaction_id.is_empty() || money.transaction_id == asked.transaction_id;
    match money.into_iter().find(named) {
        Some(money) => Ok(Some((payment, Some(money)))),
        None if payment.state == State::Paid => Ok(None),
        None => Ok(Some((payment, None))),
    }
}

/// One conditional statement decides whether the money is still there.
async fn take_back(connection: &mut AnyConnection, refund: &Refund) -> Result<bool, sqlx::Error> {
    let taken = sqlx::query(
        "UPDATE money SET refunded_fen = refunded_fen + $1 WHERE transaction_id = $2 AND amount_fen - refunded_fen >= $1",
    )
    .bind(if refund.succeeds { refund.amount_fen } else { 0 })
    .bind(refund.transaction_id.as_str())
    .execute(connection)
    .await?;
    Ok(taken.rows_affected() == 1)
}

async fn write(connection: &mut AnyConnection, channel: ChannelId, refund: &Refund) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO refund (channel, refund_no, provider_no, payment_no, transaction_id, amount_fen, reason, outcome,
            created_at, done_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(channel.as_str())
    .bind(refund.refund_no.as_str())
    .bind(refund.provider_no.as_str())
    .bind(refund.payment_no.as_str())
    .bind(refund.transaction_id.as_str())
    .bind(refund.amount_fen)
    .bind(refund.reason.as_str())
    .bind(if refund.succeeds { "succeeded" } else { "refused" })
    .bind(refund.created_at)
    .bind(refund.done_at)
    .execute(connection)
    .await?;
    Ok(())
}

/// Schedules the notification for when the refund ends.
async fn tell(
    connection: &mut AnyConnection,
    asked: &AskedRefund,
    payment: &Payment,
    refund: &Refund,
    refunded_fen: i64,
) -> Result<(), sqlx::Error> {
    let kind = if refund.succeeds {
        Kind::Refunded
    } else {
        Kind::RefundRefused
    };
    let mut what = books::news_of(payment, kind, &refund.transaction_id, refund.done_at);
    what.refund = Some(RefundPart {
        refund_no: refund.refund_no.clone(),
        provider_no: refund.provider_no.clone(),
        amount_fen: refund.amount_fen,
        refunded_fen,
        reason: refund.reason.clone(),
    });
    let url = if asked.notify_url.is_empty() {
        &payment.notify_url
    } else {
        &asked.notify_url
    };
    let plan = Plan {
        full_schedule: payment.misbehaviour == Misbehaviour::FullSchedule,
        ..Plan::plain(kind)
    };
    notices::insert(connection, asked.channel, url, &what, &plan, 1.0, refund.done_at).await
}

async fn find(
    connection: &mut AnyConnection,
    channel: ChannelId,
    refund_no: &str,
) -> Result<Option<Refund>, sqlx::Error> {
    let row = sqlx::query("SELECT * FROM refund WHERE channel = $1 AND refund_no = $2")
        .bind(channel.as_str())
        .bind(refund_no)
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(refund_of).transpose()
}

fn refund_of(row: &AnyRow) -> Result<Refund, sqlx::Error> {
    let outcome: String = row.try_get("outcome")?;
    Ok(Refund {
        refund_no: row.try_get("refund_no")?,
        provider_no: row.try_get("provider_no")?,
        payment_no: row.try_get("payment_no")?,
        transaction_id: row.try_get("transaction_id")?,
        amount_fen: row.try_get("amount_fen")?,
        reason: row.try_get("reason")?,
        succeeds: outcome == "succeeded",
        created_at: row.try_get("created_at")?,
        done_at: row.try_get("done_at")?,
    })
}
