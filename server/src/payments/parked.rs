//! Parked notifications: verified ones about an order that is not there (yet).
//!
//! One row per fact. Applied when the order commits or by the sweep, so that a notification that overtakes its order is never
//! lost, whatever the provider was answered.

use crate::{
    channels::{ChannelId, Notification},
    clock::Milliseconds,
};
use sqlx::{AnyConnection, Row as _};

/// Parks a notification and says when its fact was first told.
pub async fn park(
    connection: &mut AnyConnection,
    channel: ChannelId,
    order_no: &str,
    fact: &str,
    notification: &Notification,
    now: Milliseconds,
) -> Result<Milliseconds, sqlx::Error> {
    let text = serde_json::to_string(notification).map_err(|error| sqlx::Error::Encode(error.into()))?;
    sqlx::query(
        "INSERT INTO parked_notification (fact, channel, order_no, notification, status, times, first_at, last_at)
         VALUES ($1, $2, $3, $4, 'waiting', 1, $5, $5)
         ON CONFLICT (fact) DO UPDATE SET times = parked_notification.times + 1, last_at = excluded.last_at
         RETURNING first_at",
    )
    .bind(fact)
    .bind(channel.as_str())
    .bind(order_no)
    .bind(text)
    .bind(now)
    .fetch_one(connection)
    .await?
    .try_get("first_at")
}

/// A notification whose order has come.
#[derive(Clone, Debug)]
pub struct Ready {
    /// Its fact.
    pub fact: String,
    /// The channel.
    pub channel: ChannelId,
    /// What it says.
    pub notification: Notification,
}

/// Waiting notifications whose orders are there now.
pub async fn ready(connection: &mut AnyConnection, limit: i64) -> Result<Vec<Ready>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT fact, channel, notification FROM parked_notification
         WHERE status = 'waiting' AND order_no <> ''
           AND EXISTS (SELECT 1 FROM orders WHERE orders.order_no = parked_notification.order_no)
         ORDER BY first_at LIMIT $1",
    )
    .bind(limit)
    .fetch_all(connection)
    .await?;
    let decode = |error: Box<dyn std::error::Error + Send + Sync>| sqlx::Error::Decode(error);
    rows.iter()
        .map(|row| {
            let channel: String = row.try_get("channel")?;
            Ok(Ready {
                fact: row.try_get("fact")?,
                channel: ChannelId::parse(&channel)
                    .ok_or_else(|| decode(format!("there is no channel {channel}").into()))?,
                notification: serde_json::from_str(row.try_get("notification")?)
                    .map_err(|error| decode(error.into()))?,
            })
        })
        .collect()
}

/// The notification has had its effect.
pub async fn mark_applied(connection: &mut AnyConnection, fact: &str, now: Milliseconds) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE parked_notification SET status = 'applied', last_at = $2 WHERE fact = $1 AND status = 'waiting'",
    )
    .bind(fact)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}
