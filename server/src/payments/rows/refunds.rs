//! The tables `refund` and `surplus`: one statement per intention.

use super::channel_of;
use crate::{
    channels::{ChannelId, NewRefund},
    clock::Milliseconds,
    orders::place::CURRENCY,
};
use sqlx::{AnyConnection, Row as _, any::AnyRow};

/// A refund as stored.
#[derive(Clone, Debug)]
pub struct Refund {
    /// What the channel is asked.
    pub asked: NewRefund,
    /// The order.
    pub order_no: String,
    /// Whether the money is surplus; otherwise it is the order's.
    pub of_surplus: bool,
    /// The channel.
    pub channel: ChannelId,
    /// `ASKED`, `SUCCEEDED` or `REFUSED`.
    pub status: String,
    /// How often the channel was asked.
    pub questions: i64,
    /// When it is asked next.
    pub ask_at: Milliseconds,
    /// When the refund was asked for.
    pub created_at: Milliseconds,
}

const REFUND_COLUMNS: &str =
    "refund_no, order_no, purpose, channel, payment_no, transaction_id, amount_fen, paid_fen, reason, status,
     questions, ask_at, created_at";

fn refund_of(row: &AnyRow) -> Result<Refund, sqlx::Error> {
    Ok(Refund {
        asked: NewRefund {
            refund_no: row.try_get("refund_no")?,
            payment_no: row.try_get("payment_no")?,
            transaction_id: row.try_get("transaction_id")?,
            amount_fen: row.try_get("amount_fen")?,
            paid_fen: row.try_get("paid_fen")?,
            reason: row.try_get("reason")?,
        },
        order_no: row.try_get("order_no")?,
        of_surplus: row.try_get::<String, _>("purpose")? == "surplus",
        channel: channel_of(row)?,
        status: row.try_get("status")?,
        questions: row.try_get("questions")?,
        ask_at: row.try_get("ask_at")?,
        created_at: row.try_get("created_at")?,
    })
}

/// One refund.
pub async fn refund(connection: &mut AnyConnection, refund_no: &str) -> Result<Option<Refund>, sqlx::Error> {
    let sql = format!("SELECT {REFUND_COLUMNS} FROM refund WHERE refund_no = $1");
    let row = sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(refund_no)
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(refund_of).transpose()
}

/// An order's refunds, oldest first.
pub async fn refunds_of(connection: &mut AnyConnection, order_no: &str) -> Result<Vec<Refund>, sqlx::Error> {
    let sql = format!("SELECT {REFUND_COLUMNS} FROM refund WHERE order_no = $1 ORDER BY created_at, refund_no");
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(order_no)
        .fetch_all(connection)
        .await?;
    rows.iter().map(refund_of).collect()
}

/// Unfinished refunds about which a channel is to be asked now, the most overdue first.
pub async fn refunds_to_ask(
    connection: &mut AnyConnection,
    now: Milliseconds,
    limit: i64,
) -> Result<Vec<Refund>, sqlx::Error> {
    let sql =
        format!("SELECT {REFUND_COLUMNS} FROM refund WHERE status = 'ASKED' AND ask_at <= $1 ORDER BY ask_at LIMIT $2");
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(now)
        .bind(limit)
        .fetch_all(connection)
        .await?;
    rows.iter().map(refund_of).collect()
}

/// Takes the next question about a refund for this server. False if another took it.
pub async fn take_refund_question(
    connection: &mut AnyConnection,
    refund: &Refund,
    next: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let taken = sqlx::query(
        "UPDATE refund SET ask_at = $3, questions = questions + 1 WHERE refund_no = $1 AND ask_at = $2 AND status = 'ASKED'",
    )
    .bind(&refund.asked.refund_no)
    .bind(refund.ask_at)
    .bind(next)
    .execute(connection)
    .await?;
    Ok(taken.rows_affected() == 1)
}

/// The intent to give money back. False if the number is taken.
pub async fn insert_refund(
    transaction: &mut AnyConnection,
    refund: &Refund,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query(
        "INSERT INTO refund (refund_no, order_no, purpose, channel, payment_no, transaction_id, amount_fen, paid_fen, reason,
                             status, ask_at, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'ASKED', $10, $11, $11)
         ON CONFLICT DO NOTHING",
    )
    .bind(&refund.asked.refund_no)
    .bind(&refund.order_no)
    .bind(if refund.of_surplus { "surplus" } else { "order" })
    .bind(refund.channel.as_str())
    .bind(&refund.asked.payment_no)
    .bind(&refund.asked.transaction_id)
    .bind(refund.asked.amount_fen)
    .bind(refund.asked.paid_fen)
    .bind(&refund.asked.reason)
    .bind(refund.ask_at)
    .bind(now)
    .execute(transaction)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// A refund ended. False if it had ended before.
pub async fn end_refund(
    transaction: &mut AnyConnection,
    refund_no: &str,
    succeeded: bool,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let ended = sqlx::query("UPDATE refund SET status = $2, updated_at = $3 WHERE refund_no = $1 AND status = 'ASKED'")
        .bind(refund_no)
        .bind(if succeeded { "SUCCEEDED" } else { "REFUSED" })
        .bind(now)
        .execute(transaction)
        .await?;
    Ok(ended.rows_affected() == 1)
}

/// Money that belongs to no open order. False if it is there already.
pub async fn insert_surplus(
    transaction: &mut AnyConnection,
    refund: &Refund,
    reason: &'static str,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query(
        "INSERT INTO surplus (channel, transaction_id, order_no, payment_no, amount_fen, currency, reason, refund_no, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT DO NOTHING",
    )
    .bind(refund.channel.as_str())
    .bind(&refund.asked.transaction_id)
    .bind(&refund.order_no)
    .bind(&refund.asked.payment_no)
    .bind(refund.asked.amount_fen)
    .bind(CURRENCY)
    .bind(reason)
    .bind(&refund.asked.refund_no)
    .bind(now)
    .execute(transaction)
    .await?;
    Ok(inserted.rows_affected() == 1)
}
