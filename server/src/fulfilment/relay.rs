//! The relay: takes deliveries that are due and brings them to their consumers, in this process.
//!
//! A delivery is done when its consumer's effect is committed. Local consumers act in the very transaction that marks the delivery
//! done; the one that speaks with the channels acts first and is marked after, and every step of it may be repeated. Deliveries of
//! one order to one consumer keep their sequence, also behind one that failed for good.

use super::{channel_operations, coupons, inventory};
use crate::{
    clock::{Milliseconds, milliseconds},
    domain::message::MessageKind,
    outbox::Consumer,
    payments::{Payments, drive::NotDriven},
};
use futures::{StreamExt as _, stream};
use sqlx::{AnyConnection, Row as _, any::AnyRow};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Most deliveries that one look takes.
const BATCH: i64 = 100;

/// Deliveries worked on at once.
const AT_ONCE: usize = 8;

/// Gaps between retries: the delay levels of `RocketMQ` from 10 s on, 4 h 45 m 40 s in all. After the last a delivery is dead until a
/// person has looked. Source: apache/rocketmq-site, "Consumer retry".
pub const RETRY_GAPS: [Duration; 16] = [
    Duration::from_secs(10),
    Duration::from_secs(30),
    Duration::from_mins(1),
    Duration::from_mins(2),
    Duration::from_mins(3),
    Duration::from_mins(4),
    Duration::from_mins(5),
    Duration::from_mins(6),
    Duration::from_mins(7),
    Duration::from_mins(8),
    Duration::from_mins(9),
    Duration::from_mins(10),
    Duration::from_mins(20),
    Duration::from_mins(30),
    Duration::from_hours(1),
    Duration::from_hours(2),
];

/// A delivery that is due.
#[derive(Clone, Debug)]
struct Delivery {
    message_id: String,
    consumer: Consumer,
    order_no: String,
    kind: MessageKind,
    /// How often it was handed over: the version that each write of the row must match.
    attempts: i64,
}

impl Payments {
    /// Relays until told to stop.
    pub async fn relay_until(&self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let woken = self.work.notified();
            match self.relay().await {
                // There may be more, or what was done made more due.
                Ok(taken) if taken > 0 => continue,
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "the relay could not look now"),
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = woken => {}
                () = tokio::time::sleep(self.durations().sweep) => {}
            }
        }
    }

    /// One look: brings what is due to its consumers and says how many deliveries that were.
    pub async fn relay(&self) -> Result<usize, sqlx::Error> {
        let due = due(&mut *self.database().reader().await?, self.now()).await?;
        let taken = due.len();
        stream::iter(due)
            .for_each_concurrent(AT_ONCE, |delivery| async move {
                if let Err(error) = self.deliver(&delivery).await {
                    tracing::warn!(%error, message_id = delivery.message_id, consumer = delivery.consumer.as_str(),
                                   "a delivery failed");
                    if let Err(error) = self.put_off(&delivery, &error.to_string()).await {
                        tracing::warn!(%error, "a failed delivery could not be put off; its lease will run out");
                    }
                }
            })
            .await;
        Ok(taken)
    }

    async fn deliver(&self, delivery: &Delivery) -> Result<(), NotDriven> {
        match delivery.consumer {
            Consumer::ChannelOperations => {
                if !self.hand_over(delivery).await? {
                    return Ok(());
                }
                channel_operations::act(self, delivery.kind, &delivery.order_no).await?;
                let mut connection = self.database().writer().await?;
                mark_done(&mut connection, delivery, delivery.attempts + 1).await?;
            }
            Consumer::Inventory | Consumer::Coupons => self.act_locally(delivery).await?,
            Consumer::Shipping => {}
        }
        Ok(())
    }

    /// The effect and the mark in one transaction: both or neither, and once.
    async fn act_locally(&self, delivery: &Delivery) -> Result<(), sqlx::Error> {
        let mut connection = self.database().writer().await?;
        let mut transaction = self.database().begin(&mut connection).await?;
        if !mark_done(&mut transaction, delivery, delivery.attempts).await? {
            return transaction.rollback().await;
        }
        let (kind, order_no, now) = (delivery.kind, &delivery.order_no, self.now());
        match delivery.consumer {
            Consumer::Inventory => inventory::act(&mut transaction, kind, order_no, now).await?,
            Consumer::Coupons => coupons::act(&mut transaction, kind, order_no, now).await?,
            Consumer::Shipping | Consumer::ChannelOperations => {}
        }
        transaction.commit().await
    }

    /// Takes a delivery for this server, with a lease. False if another has it.
    async fn hand_over(&self, delivery: &Delivery) -> Result<bool, sqlx::Error> {
        let lease_until = self.now().saturating_add(milliseconds(self.durations().delivery_lease));
        let taken = sqlx::query(
            "UPDATE outbox_delivery SET status = 'handed_over', attempts = attempts + 1, due_at = $4
             WHERE message_id = $1 AND consumer = $2 AND attempts = $3 AND status IN ('due', 'handed_over')",
        )
        .bind(&delivery.message_id)
        .bind(delivery.consumer.as_str())
        .bind(delivery.attempts)
        .bind(lease_until)
        .execute(&mut *self.database().writer().await?)
        .await?;
        Ok(taken.rows_affected() == 1)
    }

    /// After a failure: due again later, or dead when every retry is used up.
    async fn put_off(&self, delivery: &Delivery, error: &str) -> Result<(), sqlx::Error> {
        let gap = usize::try_from(delivery.attempts)
            .ok()
            .and_then(|attempts| RETRY_GAPS.get(attempts));
        let (status, due_at) = match gap {
            Some(gap) => ("due", self.now().saturating_add(milliseconds(*gap))),
            None => ("dead", self.now()),
        };
        let handed_over = i64::from(delivery.consumer == Consumer::ChannelOperations);
        sqlx::query(
            "UPDATE outbox_delivery SET status = $4, due_at = $5, last_error = $6, attempts = $7
             WHERE message_id = $1 AND consumer = $2 AND attempts = $3 AND status IN ('due', 'handed_over')",
        )
        .bind(&delivery.message_id)
        .bind(delivery.consumer.as_str())
        .bind(delivery.attempts + handed_over)
        .bind(status)
        .bind(due_at)
        .bind(error)
        .bind(delivery.attempts + 1)
        .execute(&mut *self.database().writer().await?)
        .await?;
        Ok(())
    }
}

/// The delivery is done, if nobody else has done or taken it since. False if somebody has.
async fn mark_done(connection: &mut AnyConnection, delivery: &Delivery, attempts: i64) -> Result<bool, sqlx::Error> {
    let done = sqlx::query(
        "UPDATE outbox_delivery SET status = 'done'
         WHERE message_id = $1 AND consumer = $2 AND attempts = $3 AND status IN ('due', 'handed_over')",
    )
    .bind(&delivery.message_id)
    .bind(delivery.consumer.as_str())
    .bind(attempts)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Deliveries that are due and have no unfinished one of the same order and consumer before them.
///
/// One that was never tried is due whatever its time says: it was written by a clock that has since been set back, and stock must
/// not wait for hours to come round.
async fn due(connection: &mut AnyConnection, now: Milliseconds) -> Result<Vec<Delivery>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT delivery.message_id AS message_id, delivery.consumer AS consumer, delivery.order_no AS order_no,
                delivery.attempts AS attempts, message.kind AS kind
         FROM outbox_delivery AS delivery JOIN outbox_message AS message ON message.message_id = delivery.message_id
         WHERE delivery.status IN ('due', 'handed_over') AND (delivery.due_at <= $1 OR delivery.attempts = 0)
           AND delivery.consumer <> 'shipping'
           AND NOT EXISTS (SELECT 1 FROM outbox_delivery AS earlier
                WHERE earlier.order_no = delivery.order_no AND earlier.consumer = delivery.consumer
                  AND earlier.version < delivery.version AND earlier.status <> 'done')
         ORDER BY delivery.due_at LIMIT $2",
    )
    .bind(now)
    .bind(BATCH)
    .fetch_all(connection)
    .await?;
    rows.iter().map(delivery_of).collect()
}

fn delivery_of(row: &AnyRow) -> Result<Delivery, sqlx::Error> {
    let unknown = |name: &str| sqlx::Error::Decode(format!("the outbox names {name}, which is not known").into());
    let (consumer, kind): (String, String) = (row.try_get("consumer")?, row.try_get("kind")?);
    Ok(Delivery {
        message_id: row.try_get("message_id")?,
        consumer: Consumer::parse(&consumer).ok_or_else(|| unknown(&consumer))?,
        order_no: row.try_get("order_no")?,
        kind: MessageKind::parse(&kind).ok_or_else(|| unknown(&kind))?,
        attempts: row.try_get("attempts")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_retries_take_as_long_as_rocketmqs() {
        assert_eq!(RETRY_GAPS.iter().sum::<Duration>(), Duration::from_secs(17_140));
    }
}
