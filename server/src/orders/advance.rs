//! The only writer of a placed order's row. Every event, also one that leaves the status, is one conditional write on the version
//! that was read: of two writers one wins, and the other looks again.

use crate::{
    clock::Milliseconds,
    domain::order::{Decision, Effect, Order, OrderEvent, Source, Status, decide},
    outbox,
};
use app::pricing::format_yuan;
use sqlx::{AnyConnection, Row as _, any::AnyRow};

/// How often a writer that lost looks again.
const TRIES: usize = 5;

/// What became of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advanced {
    /// The order is this now.
    Moved {
        /// The order after.
        order: Order,
        /// What else it means.
        effect: Effect,
    },
    /// The event had had its effect already, or came too late to have any.
    NothingToDo(Order),
    /// The order cannot go there from where it stands.
    Impossible(Order),
    /// There is no such order.
    NotFound,
    /// Others kept winning; try again later.
    Contended,
}

/// Moves an order along in the caller's transaction: the row, the journal, the messages.
pub async fn advance(
    transaction: &mut AnyConnection,
    order_no: &str,
    event: &OrderEvent,
    source: Source,
    now: Milliseconds,
) -> Result<Advanced, sqlx::Error> {
    for _ in 0..TRIES {
        let Some((before, version)) = read(transaction, order_no).await? else {
            return Ok(Advanced::NotFound);
        };
        let (order, messages, effect) = match decide(&before, event) {
            Decision::Step {
                order,
                messages,
                effect,
            } => (order, messages, effect),
            Decision::NothingToDo => return Ok(Advanced::NothingToDo(before)),
            Decision::Impossible => return Ok(Advanced::Impossible(before)),
        };
        if !write(transaction, order_no, before.status, version, &order, now).await? {
            continue;
        }
        let entry = Entry {
            order_no,
            version: version + 1,
            event: event.name(effect),
            detail: detail(event),
            source,
            from: Some(before.status),
            to: order.status,
            now,
        };
        write_journal(transaction, entry).await?;
        for message in messages {
            outbox::write(transaction, order_no, version + 1, *message, event.subject(), now).await?;
        }
        return Ok(Advanced::Moved { order, effect });
    }
    Ok(Advanced::Contended)
}

/// An order as the state machine knows it, and its version.
pub async fn read(connection: &mut AnyConnection, order_no: &str) -> Result<Option<(Order, i64)>, sqlx::Error> {
    let row = sqlx::query(
        "SELECT status, version, total_fen, paid_fen, refund_asked_fen, refunded_fen, paid_by, shipped, status_before_refund
         FROM orders WHERE order_no = $1",
    )
    .bind(order_no)
    .fetch_optional(connection)
    .await?;
    row.map(|row| Ok((order_of(&row)?, row.try_get("version")?)))
        .transpose()
}

fn order_of(row: &AnyRow) -> Result<Order, sqlx::Error> {
    let before: String = row.try_get("status_before_refund")?;
    Ok(Order {
        status: status_of(&row.try_get::<String, _>("status")?)?,
        total_fen: row.try_get("total_fen")?,
        paid_fen: row.try_get("paid_fen")?,
        refund_asked_fen: row.try_get("refund_asked_fen")?,
        refunded_fen: row.try_get("refunded_fen")?,
        paid_by: row.try_get("paid_by")?,
        shipped: row.try_get::<i64, _>("shipped")? == 1,
        before_refunding: if before.is_empty() {
            None
        } else {
            Some(status_of(&before)?)
        },
    })
}

/// Reads a status out of the table.
pub fn status_of(name: &str) -> Result<Status, sqlx::Error> {
    Status::parse(name).ok_or_else(|| sqlx::Error::Decode(format!("an order has the unknown status {name}").into()))
}

/// The one conditional write. False if somebody else has written since.
async fn write(
    transaction: &mut AnyConnection,
    order_no: &str,
    from: Status,
    version: i64,
    order: &Order,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query(
        "UPDATE orders
         SET status = $4, paid_fen = $5, refund_asked_fen = $6, refunded_fen = $7, paid_by = $8, shipped = $9,
             status_before_refund = $10, version = version + 1, updated_at = $11
         WHERE order_no = $1 AND status = $2 AND version = $3",
    )
    .bind(order_no)
    .bind(from.as_str())
    .bind(version)
    .bind(order.status.as_str())
    .bind(order.paid_fen)
    .bind(order.refund_asked_fen)
    .bind(order.refunded_fen)
    .bind(&order.paid_by)
    .bind(i64::from(order.shipped))
    .bind(order.before_refunding.map_or("", Status::as_str))
    .bind(now)
    .execute(transaction)
    .await?;
    Ok(written.rows_affected() == 1)
}

fn detail(event: &OrderEvent) -> String {
    match (event.subject(), event.amount_fen()) {
        (subject, Some(amount)) => format!("¥{} · {subject}", format_yuan(amount)),
        (subject, None) => subject.to_owned(),
    }
}

/// One row of the journal.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    /// The order.
    pub order_no: &'a str,
    /// The order's version that the event made.
    pub version: i64,
    /// The event's name.
    pub event: &'a str,
    /// What it was about, for people.
    pub detail: String,
    /// Who or what brought it.
    pub source: Source,
    /// Status before; none for the first.
    pub from: Option<Status>,
    /// Status after.
    pub to: Status,
    /// When.
    pub now: Milliseconds,
}

pub(super) async fn write_journal(transaction: &mut AnyConnection, entry: Entry<'_>) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO order_event (order_no, version, event, detail, source, from_status, to_status, occurred_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(entry.order_no)
    .bind(entry.version)
    .bind(entry.event)
    .bind(entry.detail)
    .bind(entry.source.as_str())
    .bind(entry.from.map_or("", Status::as_str))
    .bind(entry.to.as_str())
    .bind(entry.now)
    .execute(transaction)
    .await?;
    Ok(())
}
