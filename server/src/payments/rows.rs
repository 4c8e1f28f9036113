//! The tables `payment` and `money_ledger`, and in `rows/refunds.rs` `refund` and `surplus`: one statement per intention.

mod refunds;

pub use refunds::{
    Refund, end_refund, insert_refund, insert_surplus, refund, refunds_of, refunds_to_ask, take_refund_question,
};

use crate::{
    channels::{ChannelId, PaidFact, PaymentAction},
    clock::Milliseconds,
    domain::order_number::payment_number,
    orders::place::CURRENCY,
};
use sqlx::{AnyConnection, Row as _, any::AnyRow};

/// A payment as stored.
#[derive(Clone, Debug)]
pub struct Payment {
    /// Our number.
    pub payment_no: String,
    /// The order.
    pub order_no: String,
    /// The channel.
    pub channel: ChannelId,
    /// Which of the order's payments at this channel it is.
    pub ordinal: i64,
    /// `CREATING`, `OPEN`, `SUCCEEDED`, `CLOSED` or `FAILED`.
    pub status: String,
    /// To pay, in fen.
    pub amount_fen: i64,
    /// Where the buyer is led back to.
    pub return_url: String,
    /// How the buyer pays; none while it is being created.
    pub action: Option<PaymentAction>,
    /// How often its channel was asked about it.
    pub questions: i64,
    /// When it is asked about next.
    pub ask_at: Milliseconds,
    /// When it was begun.
    pub created_at: Milliseconds,
}

const PAYMENT_COLUMNS: &str =
    "payment_no, order_no, channel, ordinal, status, amount_fen, return_url, action_type, action_url,
     questions, ask_at, created_at";

fn payment_of(row: &AnyRow) -> Result<Payment, sqlx::Error> {
    let url: String = row.try_get("action_url")?;
    let action = match row.try_get::<String, _>("action_type")?.as_str() {
        "qr" => Some(PaymentAction::Qr(url)),
        "redirect" => Some(PaymentAction::Redirect(url)),
        _ => None,
    };
    Ok(Payment {
        payment_no: row.try_get("payment_no")?,
        order_no: row.try_get("order_no")?,
        channel: channel_of(row)?,
        ordinal: row.try_get("ordinal")?,
        status: row.try_get("status")?,
        amount_fen: row.try_get("amount_fen")?,
        return_url: row.try_get("return_url")?,
        action,
        questions: row.try_get("questions")?,
        ask_at: row.try_get("ask_at")?,
        created_at: row.try_get("created_at")?,
    })
}

fn channel_of(row: &AnyRow) -> Result<ChannelId, sqlx::Error> {
    let name: String = row.try_get("channel")?;
    ChannelId::parse(&name).ok_or_else(|| sqlx::Error::Decode(format!("there is no channel {name}").into()))
}

/// An order's payments, oldest first.
pub async fn payments_of(connection: &mut AnyConnection, order_no: &str) -> Result<Vec<Payment>, sqlx::Error> {
    let sql = format!("SELECT {PAYMENT_COLUMNS} FROM payment WHERE order_no = $1 ORDER BY created_at, payment_no");
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(order_no)
        .fetch_all(connection)
        .await?;
    rows.iter().map(payment_of).collect()
}

/// Open payments about which a channel is to be asked now, the most overdue first.
pub async fn payments_to_ask(
    connection: &mut AnyConnection,
    now: Milliseconds,
    limit: i64,
) -> Result<Vec<Payment>, sqlx::Error> {
    let sql = format!(
        "SELECT {PAYMENT_COLUMNS} FROM payment WHERE status IN ('CREATING', 'OPEN') AND ask_at <= $1 ORDER BY ask_at LIMIT $2"
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(now)
        .bind(limit)
        .fetch_all(connection)
        .await?;
    rows.iter().map(payment_of).collect()
}

/// Takes the next question about a payment for this server. False if another took it.
pub async fn take_payment_question(
    connection: &mut AnyConnection,
    payment: &Payment,
    next: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let taken = sqlx::query(
        "UPDATE payment SET ask_at = $3, questions = questions + 1 WHERE payment_no = $1 AND ask_at = $2
         AND status IN ('CREATING', 'OPEN')",
    )
    .bind(&payment.payment_no)
    .bind(payment.ask_at)
    .bind(next)
    .execute(connection)
    .await?;
    Ok(taken.rows_affected() == 1)
}

/// How many of an order's payments at a channel came to nothing: the next one's ordinal is one more.
pub async fn ended_payments(
    connection: &mut AnyConnection,
    order_no: &str,
    channel: ChannelId,
) -> Result<i64, sqlx::Error> {
    sqlx::query(
        "SELECT COUNT(*) AS ended FROM payment
         WHERE order_no = $1 AND channel = $2 AND ordinal > 0 AND status IN ('CLOSED', 'FAILED')",
    )
    .bind(order_no)
    .bind(channel.as_str())
    .fetch_one(connection)
    .await?
    .try_get("ended")
}

/// The intent to take a payment, for an order that still waits for it. False if it does not, or the intent is there already.
pub async fn insert_intent(
    transaction: &mut AnyConnection,
    order_no: &str,
    channel: ChannelId,
    ordinal: i64,
    return_url: &str,
    now: Milliseconds,
    ask_at: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query(
        "INSERT INTO payment (payment_no, order_no, channel, ordinal, status, amount_fen, currency, return_url, ask_at,
                              created_at, updated_at)
         SELECT $1, order_no, $3, $4, 'CREATING', total_fen, currency, $5, $6, $7, $7
         FROM orders WHERE order_no = $2 AND status = 'WAIT_PAY' AND pay_before > $7
         ON CONFLICT DO NOTHING",
    )
    .bind(payment_number(order_no, super::letter(channel), ordinal))
    .bind(order_no)
    .bind(channel.as_str())
    .bind(ordinal)
    .bind(return_url)
    .bind(ask_at)
    .bind(now)
    .execute(transaction)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Whether a payment of that number is being created or open, for an order that still waits for it.
///
/// While a channel cannot be reached, payments of closed orders stay open here, and must not be begun there.
pub async fn is_open(connection: &mut AnyConnection, payment_no: &str) -> Result<bool, sqlx::Error> {
    let row = sqlx::query(
        "SELECT 1 AS one FROM payment JOIN orders ON orders.order_no = payment.order_no
         WHERE payment.payment_no = $1 AND payment.status IN ('CREATING', 'OPEN') AND orders.status = 'WAIT_PAY'",
    )
    .bind(payment_no)
    .fetch_optional(connection)
    .await?;
    Ok(row.is_some())
}

/// The order that a transaction's money has come in for, if it has come in.
pub async fn order_of_money(
    connection: &mut AnyConnection,
    channel: ChannelId,
    transaction_id: &str,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query("SELECT order_no FROM money_ledger WHERE channel = $1 AND reference = $2 AND amount_fen > 0")
        .bind(channel.as_str())
        .bind(transaction_id)
        .fetch_optional(connection)
        .await?
        .map(|row| row.try_get("order_no"))
        .transpose()
}

/// The channel takes the payment; this is how the buyer pays. Nothing changes if it has gone on meanwhile.
pub async fn open_payment(
    transaction: &mut AnyConnection,
    payment_no: &str,
    action: &PaymentAction,
    now: Milliseconds,
) -> Result<(), sqlx::Error> {
    let (kind, url) = match action {
        PaymentAction::Qr(text) => ("qr", text),
        PaymentAction::Redirect(url) => ("redirect", url),
    };
    sqlx::query(
        "UPDATE payment SET status = CASE status WHEN 'CREATING' THEN 'OPEN' ELSE status END, action_type = $2,
                            action_url = $3, updated_at = $4
         WHERE payment_no = $1",
    )
    .bind(payment_no)
    .bind(kind)
    .bind(url)
    .bind(now)
    .execute(transaction)
    .await?;
    Ok(())
}

/// Money came for a payment: its row says so.
///
/// Money whose payment is not in the table (begun elsewhere, or named by the order's own number) gets a row of its own; a
/// second transaction of one payment changes nothing here.
pub async fn mark_succeeded(
    transaction: &mut AnyConnection,
    order_no: &str,
    channel: ChannelId,
    paid: &PaidFact,
    now: Milliseconds,
) -> Result<(), sqlx::Error> {
    let marked = sqlx::query(
        "UPDATE payment SET status = 'SUCCEEDED', transaction_id = $2, updated_at = $3
         WHERE payment_no = $1 AND transaction_id = ''",
    )
    .bind(&paid.payment_no)
    .bind(&paid.transaction_id)
    .bind(now)
    .execute(&mut *transaction)
    .await?;
    if marked.rows_affected() == 1 {
        return Ok(());
    }
    // Ordinals of payments that we did not begin count down from 0, out of the way of ours.
    sqlx::query(
        "INSERT INTO payment (payment_no, order_no, channel, ordinal, status, amount_fen, currency, return_url, ask_at,
                              transaction_id, created_at, updated_at)
         SELECT $1, $2, $3, lowest - 1, 'SUCCEEDED', $4, $5, '', $6, $7, $6, $6
         FROM (SELECT COALESCE(MIN(ordinal), 1) AS lowest FROM payment
               WHERE order_no = $2 AND channel = $3 AND ordinal <= 0) AS foreign_payments
         WHERE lowest IS NOT NULL
         ON CONFLICT DO NOTHING",
    )
    .bind(&paid.payment_no)
    .bind(order_no)
    .bind(channel.as_str())
    .bind(paid.amount_fen)
    .bind(&paid.currency)
    .bind(now)
    .bind(&paid.transaction_id)
    .execute(transaction)
    .await?;
    Ok(())
}

/// The order takes no more money: its other payments are due to be closed at their channels.
pub async fn hasten_questions(
    transaction: &mut AnyConnection,
    order_no: &str,
    now: Milliseconds,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE payment SET ask_at = $2 WHERE order_no = $1 AND status IN ('CREATING', 'OPEN') AND ask_at > $2",
    )
    .bind(order_no)
    .bind(now)
    .execute(transaction)
    .await?;
    Ok(())
}

/// A payment came to nothing. Nothing changes if money came for it.
pub async fn mark_ended(
    transaction: &mut AnyConnection,
    payment_no: &str,
    failed: bool,
    now: Milliseconds,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE payment SET status = $2, updated_at = $3 WHERE payment_no = $1 AND status IN ('CREATING', 'OPEN')",
    )
    .bind(payment_no)
    .bind(if failed { "FAILED" } else { "CLOSED" })
    .bind(now)
    .execute(transaction)
    .await?;
    Ok(())
}

/// One movement of money. The unique keys let each through once for ever; false if it is there already.
#[derive(Debug)]
pub struct Movement<'a> {
    /// The channel.
    pub channel: ChannelId,
    /// Transaction or refund number.
    pub reference: &'a str,
    /// `paid`, `surplus`, `refunded` or `surplus_refunded`.
    pub kind: &'static str,
    /// The order.
    pub order_no: &'a str,
    /// In fen; out is negative.
    pub amount_fen: i64,
}

impl Movement<'_> {
    /// Writes the row.
    pub async fn write(self, transaction: &mut AnyConnection, now: Milliseconds) -> Result<bool, sqlx::Error> {
        let written = sqlx::query(
            "INSERT INTO money_ledger (entry_id, channel, reference, kind, order_no, amount_fen, currency, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT DO NOTHING",
        )
        .bind(uuid::Uuid::now_v7().to_string())
        .bind(self.channel.as_str())
        .bind(self.reference)
        .bind(self.kind)
        .bind(self.order_no)
        .bind(self.amount_fen)
        .bind(CURRENCY)
        .bind(now)
        .execute(transaction)
        .await?;
        Ok(written.rows_affected() == 1)
    }
}
