//! Orders as their owners read them. Every statement names the owner: another's order reads like one that is not there.

use crate::{clock::rfc3339, payments};
use app::wire::{JournalEntry, OrderBody, OrderLine, OrderWithJournal};
use sqlx::{AnyConnection, Row as _, any::AnyRow};

/// An order with what only its page shows.
#[derive(Clone, Debug)]
pub struct OrderRead {
    /// As the API shows it.
    pub order: OrderWithJournal,
    /// Receiver's name.
    pub name: String,
    /// Receiver's telephone number.
    pub phone: String,
    /// Receiver's address.
    pub address: String,
    /// Note to the shop.
    pub note: String,
    /// Coupon, if one was used.
    pub coupon: Option<String>,
    /// The order's version, which every event makes one higher.
    pub version: i64,
}

/// One line of an owner's list.
#[derive(Clone, Debug)]
pub struct OrderListed {
    /// Number.
    pub order_no: String,
    /// Status.
    pub status: String,
    /// To pay, in fen.
    pub total_fen: i64,
    /// Pieces in all lines.
    pub pieces: i64,
    /// When it was accepted, RFC 3339 in UTC.
    pub created_at: String,
}

/// Most orders that the list shows, newest first.
const LIST_LIMIT: i64 = 100;

/// Reads an order of that owner.
pub async fn find(
    connection: &mut AnyConnection,
    order_no: &str,
    owner: &str,
) -> Result<Option<OrderRead>, sqlx::Error> {
    let row = sqlx::query(
        "SELECT order_no, status, subtotal_fen, discount_fen, total_fen, currency, coupon, name, phone, address, note,
                created_at, pay_before, version, paid_fen, refund_asked_fen, refunded_fen
         FROM orders WHERE order_no = $1 AND owner = $2",
    )
    .bind(order_no)
    .bind(owner)
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let items = lines(connection, order_no).await?;
    let order = body_of(&row, items)?;
    let waits_for_payment = order.status == "WAIT_PAY";
    let events = journal(connection, order_no).await?;
    let coupon: String = row.try_get("coupon")?;
    Ok(Some(OrderRead {
        order: OrderWithJournal {
            order,
            paid_fen: row.try_get("paid_fen")?,
            refund_asked_fen: row.try_get("refund_asked_fen")?,
            refunded_fen: row.try_get("refunded_fen")?,
            payments: payments::read::payments(connection, order_no, waits_for_payment).await?,
            refunds: payments::read::refunds(connection, order_no).await?,
            surplus: payments::read::surplus(connection, order_no).await?,
            events,
        },
        name: row.try_get("name")?,
        phone: row.try_get("phone")?,
        address: row.try_get("address")?,
        note: row.try_get("note")?,
        coupon: Some(coupon).filter(|code| !code.is_empty()),
        version: row.try_get("version")?,
    }))
}

fn body_of(row: &AnyRow, items: Vec<OrderLine>) -> Result<OrderBody, sqlx::Error> {
    Ok(OrderBody {
        order_no: row.try_get("order_no")?,
        status: row.try_get("status")?,
        items,
        subtotal_fen: row.try_get("subtotal_fen")?,
        discount_fen: row.try_get("discount_fen")?,
        total_fen: row.try_get("total_fen")?,
        currency: row.try_get("currency")?,
        created_at: rfc3339(row.try_get("created_at")?),
        pay_before: rfc3339(row.try_get("pay_before")?),
    })
}

async fn lines(connection: &mut AnyConnection, order_no: &str) -> Result<Vec<OrderLine>, sqlx::Error> {
    let rows = sqlx::query("SELECT sku, quantity, unit_price_fen FROM order_line WHERE order_no = $1 ORDER BY sku")
        .bind(order_no)
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| {
            let (qty, unit_price_fen): (i64, i64) = (row.try_get("quantity")?, row.try_get("unit_price_fen")?);
            // The product fitted when the order was accepted.
            Ok(OrderLine {
                sku: row.try_get("sku")?,
                qty,
                unit_price_fen,
                line_total_fen: qty.saturating_mul(unit_price_fen),
            })
        })
        .collect()
}

async fn journal(connection: &mut AnyConnection, order_no: &str) -> Result<Vec<JournalEntry>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT version, event, detail, source, from_status, to_status, occurred_at FROM order_event
         WHERE order_no = $1 ORDER BY version",
    )
    .bind(order_no)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            let from: String = row.try_get("from_status")?;
            Ok(JournalEntry {
                version: row.try_get("version")?,
                event: row.try_get("event")?,
                detail: row.try_get("detail")?,
                source: row.try_get("source")?,
                from: Some(from).filter(|status| !status.is_empty()),
                to: row.try_get("to_status")?,
                at: rfc3339(row.try_get("occurred_at")?),
            })
        })
        .collect()
}

/// The newest orders of an owner.
pub async fn list(connection: &mut AnyConnection, owner: &str) -> Result<Vec<OrderListed>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT order_no, status, total_fen, created_at,
                (SELECT CAST(COALESCE(SUM(quantity), 0) AS BIGINT) FROM order_line
                 WHERE order_line.order_no = orders.order_no) AS pieces
         FROM orders WHERE owner = $1 ORDER BY created_at DESC, order_no LIMIT $2",
    )
    .bind(owner)
    .bind(LIST_LIMIT)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(OrderListed {
                order_no: row.try_get("order_no")?,
                status: row.try_get("status")?,
                total_fen: row.try_get("total_fen")?,
                pieces: row.try_get("pieces")?,
                created_at: rfc3339(row.try_get("created_at")?),
            })
        })
        .collect()
}

/// The number of the order that a key became, if it did.
pub async fn number_of_key(connection: &mut AnyConnection, submit_key: &str) -> Result<Option<String>, sqlx::Error> {
    let row = sqlx::query("SELECT order_no FROM orders WHERE submit_key = $1")
        .bind(submit_key)
        .fetch_optional(connection)
        .await?;
    row.map(|row| row.try_get("order_no")).transpose()
}
