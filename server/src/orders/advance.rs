//! The only writer of a placed order's status. Every event is one conditional write on the version that was read: of two writers
//! one wins, and the other looks again.

use crate::{
    clock::Milliseconds,
    domain::order::{Decision, OrderEvent, Source, Status, decide},
    outbox,
};
use sqlx::{AnyConnection, Row as _};

/// How often a writer that lost looks again.
const TRIES: usize = 5;

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advanced {
    /// The order went there.
    Moved(Status),
    /// The event had had its effect already.
    AlreadyThere(Status),
    /// The order cannot go there from where it stands.
    Impossible(Status),
    /// There is no such order.
    NotFound,
    /// Others kept winning; try again later.
    Contended,
}

/// Moves an order along in the caller's transaction: status and version, journal, messages.
pub async fn advance(
    transaction: &mut AnyConnection,
    order_no: &str,
    event: OrderEvent,
    source: Source,
    now: Milliseconds,
) -> Result<Advanced, sqlx::Error> {
    for _ in 0..TRIES {
        let Some((from, version)) = read(transaction, order_no).await? else {
            return Ok(Advanced::NotFound);
        };
        let (to, messages) = match decide(Some(from), event) {
            Decision::Step { to, messages } => (to, messages),
            Decision::AlreadyThere => return Ok(Advanced::AlreadyThere(from)),
            Decision::Impossible => return Ok(Advanced::Impossible(from)),
        };
        let moved = sqlx::query(
            "UPDATE orders SET status = $4, version = version + 1, updated_at = $5
             WHERE order_no = $1 AND status = $2 AND version = $3",
        )
        .bind(order_no)
        .bind(from.as_str())
        .bind(version)
        .bind(to.as_str())
        .bind(now)
        .execute(&mut *transaction)
        .await?;
        if moved.rows_affected() == 1 {
            write_journal(transaction, order_no, version + 1, event, source, Some(from), to, now).await?;
            for message in messages {
                outbox::write(transaction, order_no, version + 1, *message, now).await?;
            }
            return Ok(Advanced::Moved(to));
        }
    }
    Ok(Advanced::Contended)
}

async fn read(connection: &mut AnyConnection, order_no: &str) -> Result<Option<(Status, i64)>, sqlx::Error> {
    let row = sqlx::query("SELECT status, version FROM orders WHERE order_no = $1")
        .bind(order_no)
        .fetch_optional(connection)
        .await?;
    row.map(|row| {
        let name: String = row.try_get("status")?;
        let status = Status::parse(&name)
            .ok_or_else(|| sqlx::Error::Decode(format!("an order has the unknown status {name}").into()))?;
        Ok((status, row.try_get("version")?))
    })
    .transpose()
}

/// One row of the journal.
#[expect(clippy::too_many_arguments, reason = "the columns of one row")]
pub(super) async fn write_journal(
    transaction: &mut AnyConnection,
    order_no: &str,
    version: i64,
    event: OrderEvent,
    source: Source,
    from: Option<Status>,
    to: Status,
    now: Milliseconds,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO order_event (order_no, version, event, source, from_status, to_status, occurred_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(order_no)
    .bind(version)
    .bind(event.as_str())
    .bind(source.as_str())
    .bind(from.map_or("", Status::as_str))
    .bind(to.as_str())
    .bind(now)
    .execute(transaction)
    .await?;
    Ok(())
}
