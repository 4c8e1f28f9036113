//! The table `idempotent_record`: one statement per intention.
//!
//! Which of two racing requests goes on is decided by the primary key
//! (the claim) and by conditional updates (take-over, fence), never by looking first.

use super::{Answer, Digest, ScopedKey};
use crate::{
    clock::Milliseconds,
    db::{Dialect, is_lock_timeout, limit_lock_wait},
};
use sqlx::{
    Any, AnyConnection, Connection as _, Row as _,
    any::{AnyArguments, AnyQueryResult, AnyRow},
    query::Query,
};
use std::time::Duration;

const PROCESSING: i64 = 0;
const DONE: i64 = 1;
const REFUSED: i64 = 2;

/// What a record says of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// A claim is being worked on, or was left behind by a crash.
    Processing {
        /// When others may take over.
        lease_until: Milliseconds,
    },
    /// Accepted, with the answer.
    Done(Answer),
    /// Refused by business, with the reason. The key is free.
    Refused(Answer),
}

/// A record as read.
#[derive(Clone, Debug)]
pub struct Record {
    /// Digest of the request that made the last claim.
    pub digest: Vec<u8>,
    /// What it says.
    pub state: State,
    /// When it last changed.
    pub updated_at: Milliseconds,
}

/// A claim that we hold: a completion must match its id.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Random name of this one claim.
    pub id: String,
}

/// What a request puts into the row to claim a key.
#[derive(Clone, Copy, Debug)]
pub struct Bid<'a> {
    /// The key.
    pub key: &'a ScopedKey,
    /// The request's digest.
    pub digest: &'a Digest,
    /// The claim's random name.
    pub claim: &'a Claim,
    /// Now.
    pub now: Milliseconds,
    /// When others may take over.
    pub lease_until: Milliseconds,
}

impl<'a> Bid<'a> {
    /// Whether another's lease is over, or cannot have been begun by now: see [`take_over`], which decides it once more.
    pub fn finds_over(&self, lease_until: Milliseconds) -> bool {
        lease_until < self.now || lease_until > self.lease_until.saturating_add(CLOCK_SLACK_MILLISECONDS)
    }

    fn bind(self, statement: Statement<'a>) -> Statement<'a> {
        statement
            .bind(self.key.biz_type)
            .bind(&self.key.biz_key)
            .bind(self.digest.as_bytes())
            .bind(&self.claim.id)
            .bind(self.lease_until)
            .bind(self.now)
    }
}

type Statement<'a> = Query<'a, Any, AnyArguments>;

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claiming {
    /// The key is ours.
    Won,
    /// The row says something else: read it.
    Lost,
    /// Somebody is just finishing with the row, which is locked: the same as running.
    Locked,
}

impl Claiming {
    fn of(written: Result<AnyQueryResult, sqlx::Error>) -> Result<Self, sqlx::Error> {
        match written {
            Ok(written) if written.rows_affected() == 1 => Ok(Self::Won),
            Ok(_) => Ok(Self::Lost),
            Err(error) if is_lock_timeout(&error) => Ok(Self::Locked),
            Err(error) => Err(error),
        }
    }
}

/// The first claim of a key: inserts the row, or does nothing.
pub async fn insert(
    connection: &mut AnyConnection,
    dialect: Dialect,
    bid: Bid<'_>,
    lock_timeout: Duration,
) -> Result<Claiming, sqlx::Error> {
    let sql = match dialect {
        // The statement commits by itself and need not wait for the disk: the commit of the business transaction flushes it too,
        // and if it is lost alone, the fence finds no row. The INSERT would wait for whoever holds the fence of that row, with a
        // connection in its hand; the lock timeout keeps that short. `set_config(…, true)` ends with the statement.
        Dialect::Postgres => {
            "INSERT INTO idempotent_record
                 (biz_type, biz_key, req_digest, status, claim_id, attempt, lease_until, created_at, updated_at)
             SELECT $1, $2, $3, 0, $4, 1, $5, $6, $6
             FROM (SELECT set_config('synchronous_commit', 'off', true) AS relaxed,
                          set_config('lock_timeout', $7, true) AS impatient OFFSET 0) AS settings
             WHERE relaxed IS NOT NULL AND impatient IS NOT NULL
             ON CONFLICT (biz_type, biz_key) DO NOTHING"
        }
        Dialect::Sqlite => {
            "INSERT INTO idempotent_record
                 (biz_type, biz_key, req_digest, status, claim_id, attempt, lease_until, created_at, updated_at)
             VALUES ($1, $2, $3, 0, $4, 1, $5, $6, $6)
             ON CONFLICT (biz_type, biz_key) DO NOTHING"
        }
    };
    let statement = bid.bind(sqlx::query(sql));
    let statement = match dialect {
        Dialect::Postgres => statement.bind(lock_timeout.as_millis().to_string()),
        Dialect::Sqlite => statement,
    };
    Claiming::of(statement.execute(connection).await)
}

/// Reads the record of a key.
pub async fn read(connection: &mut AnyConnection, key: &ScopedKey) -> Result<Option<Record>, sqlx::Error> {
    let row = sqlx::query(
        "SELECT req_digest, status, lease_until, answer_status, answer_headers, answer_body, updated_at
         FROM idempotent_record WHERE biz_type = $1 AND biz_key = $2",
    )
    .bind(key.biz_type)
    .bind(&key.biz_key)
    .fetch_optional(connection)
    .await?;
    row.map(|row| record_of(&row)).transpose()
}

fn record_of(row: &AnyRow) -> Result<Record, sqlx::Error> {
    let state = match row.try_get::<i64, _>("status")? {
        PROCESSING => State::Processing {
            lease_until: row.try_get("lease_until")?,
        },
        DONE => State::Done(answer_of(row)?),
        REFUSED => State::Refused(answer_of(row)?),
        other => {
            return Err(sqlx::Error::Decode(
                format!("an idempotent record has the unknown status {other}").into(),
            ));
        }
    };
    Ok(Record {
        digest: row.try_get("req_digest")?,
        state,
        updated_at: row.try_get("updated_at")?,
    })
}

fn answer_of(row: &AnyRow) -> Result<Answer, sqlx::Error> {
    let decode = |error: Box<dyn std::error::Error + Send + Sync>| sqlx::Error::Decode(error);
    Ok(Answer {
        status: u16::try_from(row.try_get::<i64, _>("answer_status")?).map_err(|error| decode(error.into()))?,
        headers: serde_json::from_str(row.try_get("answer_headers")?).map_err(|error| decode(error.into()))?,
        body: String::from_utf8(row.try_get("answer_body")?).map_err(|error| decode(error.into()))?,
    })
}

/// How far beyond a fresh lease another's may end before it is taken for one of a clock that was ahead: far more than the clocks of
/// servers at work may differ, or two of them would take each other's claims for over.
const CLOCK_SLACK_MILLISECONDS: i64 = 120_000;

/// Takes over a key that is free: refused, or its lease is over.
///
/// A lease that ends later than any begun by now can was given by a clock that was ahead and has been set back: it counts as over,
/// or a crash before the step would hold its key for as long as the step was. If its holder is still at work, the fence stops it.
pub async fn take_over(
    connection: &mut AnyConnection,
    dialect: Dialect,
    bid: Bid<'_>,
    lock_timeout: Duration,
) -> Result<Claiming, sqlx::Error> {
    let mut transaction = connection.begin_with(dialect.begin_write()).await?;
    limit_lock_wait(dialect, &mut transaction, lock_timeout).await?;
    let statement = sqlx::query(
        "UPDATE idempotent_record
         SET req_digest = $3, status = 0, claim_id = $4, attempt = attempt + 1, lease_until = $5, updated_at = $6,
             answer_status = 0, answer_headers = '[]', answer_body = $7
         WHERE biz_type = $1 AND biz_key = $2 AND (status = 2 OR (status = 0 AND (lease_until < $6 OR lease_until > $5 + $8)))",
    );
    let statement = bid.bind(statement).bind(&b""[..]).bind(CLOCK_SLACK_MILLISECONDS);
    let claiming = Claiming::of(statement.execute(&mut *transaction).await)?;
    match claiming {
        Claiming::Won => transaction.commit().await?,
        Claiming::Lost | Claiming::Locked => transaction.rollback().await?,
    }
    Ok(claiming)
}

/// The fence: makes the record done, if the claim is still ours. False means that somebody took over; the caller rolls back.
pub async fn fence(
    connection: &mut AnyConnection,
    key: &ScopedKey,
    claim: &Claim,
    answer: &Answer,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    complete(
        "UPDATE idempotent_record
         SET status = 1, answer_status = $4, answer_headers = $5, answer_body = $6, updated_at = $7
         WHERE biz_type = $1 AND biz_key = $2 AND claim_id = $3 AND status = 0",
        connection,
        key,
        claim,
        answer,
        now,
    )
    .await
}

/// Whether the claim is still ours; if so nobody can take it over before this transaction ends. Committing this flushes the claim
/// too, which need not have reached the disk before.
pub async fn hold(
    transaction: &mut AnyConnection,
    key: &ScopedKey,
    claim: &Claim,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let held = sqlx::query(
        "UPDATE idempotent_record SET updated_at = $4
         WHERE biz_type = $1 AND biz_key = $2 AND claim_id = $3 AND status = 0",
    )
    .bind(key.biz_type)
    .bind(&key.biz_key)
    .bind(&claim.id)
    .bind(now)
    .execute(transaction)
    .await?;
    Ok(held.rows_affected() == 1)
}

/// Marks the record refused with its reason, if the claim is still ours. The key is free again.
pub async fn refuse(
    connection: &mut AnyConnection,
    key: &ScopedKey,
    claim: &Claim,
    answer: &Answer,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    complete(
        "UPDATE idempotent_record
         SET status = 2, answer_status = $4, answer_headers = $5, answer_body = $6, updated_at = $7
         WHERE biz_type = $1 AND biz_key = $2 AND claim_id = $3 AND status = 0",
        connection,
        key,
        claim,
        answer,
        now,
    )
    .await
}

async fn complete(
    sql: &'static str,
    connection: &mut AnyConnection,
    key: &ScopedKey,
    claim: &Claim,
    answer: &Answer,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let headers = serde_json::to_string(&answer.headers).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let update: Statement<'_> = sqlx::query(sql);
    let updated = update
        .bind(key.biz_type)
        .bind(&key.biz_key)
        .bind(&claim.id)
        .bind(i64::from(answer.status))
        .bind(headers)
        .bind(answer.body.as_bytes())
        .bind(now)
        .execute(connection)
        .await?;
    Ok(updated.rows_affected() == 1)
}

/// Ends the lease of a claim whose work failed, so that a retry need not wait for it. If the work did commit after all, the row
/// is done and this changes nothing.
pub async fn abandon(connection: &mut AnyConnection, key: &ScopedKey, claim: &Claim) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE idempotent_record SET lease_until = 0
         WHERE biz_type = $1 AND biz_key = $2 AND claim_id = $3 AND status = 0",
    )
    .bind(key.biz_type)
    .bind(&key.biz_key)
    .bind(&claim.id)
    .execute(connection)
    .await?;
    Ok(())
}
