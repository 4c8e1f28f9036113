//! Anomalies: something verified that does not fit. Kept, shown, and resolved by a person; one row per fact, however often it is
//! told. The money of an anomaly is unallocated until then.

use crate::{
    channels::ChannelId,
    clock::{Milliseconds, rfc3339},
};
use sqlx::{AnyConnection, Row as _, any::AnyRow};

/// What does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnomalyKind {
    /// Another amount than the order's, or than the refund's.
    WrongAmount,
    /// Another currency than the order's.
    WrongCurrency,
    /// For another merchant or application than ours.
    WrongMerchant,
    /// For an order that never came to be.
    UnknownOrder,
    /// A refund that nobody here asked for.
    UnknownRefund,
    /// One transaction told with two meanings.
    KeyReused,
    /// The channel will not give back what was asked.
    RefundRefused,
    /// An event that the order's state does not allow.
    ImpossibleEvent,
}

impl AnomalyKind {
    /// The name in tables and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WrongAmount => "wrong_amount",
            Self::WrongCurrency => "wrong_currency",
            Self::WrongMerchant => "wrong_merchant",
            Self::UnknownOrder => "unknown_order",
            Self::UnknownRefund => "unknown_refund",
            Self::KeyReused => "key_reused",
            Self::RefundRefused => "refund_refused",
            Self::ImpossibleEvent => "impossible_event",
        }
    }
}

/// An anomaly to be kept.
#[derive(Clone, Debug)]
pub struct NewAnomaly {
    /// What does not fit.
    pub kind: AnomalyKind,
    /// The fact, in one spelling, so that its repetitions are one row.
    pub fact: String,
    /// The channel that told it.
    pub channel: ChannelId,
    /// The order's number as told, if it is one.
    pub order_no: String,
    /// Money that is nobody's yet, in fen or the currency's smallest unit.
    pub amount_fen: i64,
    /// The currency as told.
    pub currency: String,
    /// For the person who resolves it.
    pub detail: String,
}

/// Keeps an anomaly; one told before is counted.
pub async fn keep(connection: &mut AnyConnection, anomaly: &NewAnomaly, now: Milliseconds) -> Result<(), sqlx::Error> {
    metrics::counter!("oncemart_anomalies_total", "kind" => anomaly.kind.as_str(), "channel" => anomaly.channel.as_str())
        .increment(1);
    tracing::error!(
        kind = anomaly.kind.as_str(),
        channel = anomaly.channel.as_str(),
        order_no = anomaly.order_no,
        detail = anomaly.detail,
        "something verified does not fit; see `oncemart anomalies list`"
    );
    sqlx::query(
        "INSERT INTO anomaly (anomaly_id, kind, fact, channel, order_no, amount_fen, currency, detail, times, status, first_at,
                              last_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, 'open', $9, $9)
         ON CONFLICT (kind, fact) DO UPDATE SET times = anomaly.times + 1, last_at = excluded.last_at",
    )
    .bind(uuid::Uuid::now_v7().to_string())
    .bind(anomaly.kind.as_str())
    .bind(&anomaly.fact)
    .bind(anomaly.channel.as_str())
    .bind(&anomaly.order_no)
    .bind(anomaly.amount_fen)
    .bind(&anomaly.currency)
    .bind(&anomaly.detail)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// An anomaly as a person reads it.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Anomaly {
    /// Its number.
    pub id: String,
    /// What does not fit.
    pub kind: String,
    /// The fact.
    pub fact: String,
    /// The channel.
    pub channel: String,
    /// The order's number as told.
    pub order_no: String,
    /// Unallocated money.
    pub amount_fen: i64,
    /// Its currency.
    pub currency: String,
    /// What was told.
    pub detail: String,
    /// How often.
    pub times: i64,
    /// `open` or `resolved`.
    pub status: String,
    /// How it was resolved.
    pub resolution: String,
    /// When it was first told.
    pub first_at: String,
    /// When it was last told.
    pub last_at: String,
}

fn anomaly_of(row: &AnyRow) -> Result<Anomaly, sqlx::Error> {
    Ok(Anomaly {
        id: row.try_get("anomaly_id")?,
        kind: row.try_get("kind")?,
        fact: row.try_get("fact")?,
        channel: row.try_get("channel")?,
        order_no: row.try_get("order_no")?,
        amount_fen: row.try_get("amount_fen")?,
        currency: row.try_get("currency")?,
        detail: row.try_get("detail")?,
        times: row.try_get("times")?,
        status: row.try_get("status")?,
        resolution: row.try_get("resolution")?,
        first_at: rfc3339(row.try_get("first_at")?),
        last_at: rfc3339(row.try_get("last_at")?),
    })
}

/// Anomalies, oldest first; those that are resolved only on demand.
pub async fn list(connection: &mut AnyConnection, resolved_too: bool) -> Result<Vec<Anomaly>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT anomaly_id, kind, fact, channel, order_no, amount_fen, currency, detail, times, status, resolution, first_at,
                last_at
         FROM anomaly WHERE status = 'open' OR $1 = 1 ORDER BY first_at, anomaly_id",
    )
    .bind(i64::from(resolved_too))
    .fetch_all(connection)
    .await?;
    rows.iter().map(anomaly_of).collect()
}

/// One anomaly.
pub async fn find(connection: &mut AnyConnection, id: &str) -> Result<Option<Anomaly>, sqlx::Error> {
    let row = sqlx::query(
        "SELECT anomaly_id, kind, fact, channel, order_no, amount_fen, currency, detail, times, status, resolution, first_at,
                last_at
         FROM anomaly WHERE anomaly_id = $1",
    )
    .bind(id)
    .fetch_optional(connection)
    .await?;
    row.as_ref().map(anomaly_of).transpose()
}

/// Resolves an open anomaly. False if there is no open one of that number.
pub async fn resolve(
    connection: &mut AnyConnection,
    id: &str,
    resolution: &str,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let resolved = sqlx::query(
        "UPDATE anomaly SET status = 'resolved', resolution = $2, resolved_at = $3 WHERE anomaly_id = $1 AND status = 'open'",
    )
    .bind(id)
    .bind(resolution)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(resolved.rows_affected() == 1)
}
