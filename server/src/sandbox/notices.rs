//! Scheduled notifications: kept before they are sent, so that a restart goes on where the schedule stood.

use super::{
    behaviour::Plan,
    schedule,
    sign::{Tamper, What, name_of},
    store::{Store, channel_of, unreadable},
};
use crate::{
    channels::ChannelId,
    clock::{Milliseconds, milliseconds},
};
use clap::ValueEnum as _;
use sqlx::{AnyConnection, Row as _, any::AnyRow};
use std::time::Duration;

/// A notification and where it stands in its schedule.
#[derive(Clone, Debug)]
pub struct Notice {
    /// Its key.
    pub notice_id: String,
    /// Over which protocol it goes.
    pub channel: ChannelId,
    /// Which payment it is about.
    pub payment_no: String,
    /// Where it goes.
    pub url: String,
    /// What it says.
    pub what: What,
    /// `waiting`, `acknowledged` or `given_up`.
    pub state: String,
    /// How many attempts were begun.
    pub attempts: i64,
    /// When the next attempt is due.
    pub due_at: Milliseconds,
    /// What is wrong with it on purpose.
    pub tamper: Tamper,
    /// How many attempts are wrong, from the first on.
    pub tampered_attempts: i64,
    /// How many copies the first attempt sends at once.
    pub copies: i64,
    /// How many answers are lost, from the first on.
    pub answers_lost: i64,
    /// Whether the schedule goes on after an acknowledgement.
    pub full_schedule: bool,
    /// Whether the shop has acknowledged it once.
    pub acknowledged: bool,
}

/// Longer than any attempt lasts; then whoever was sending has died and another sends again.
const CLAIM_MILLISECONDS: i64 = 60_000;

/// Keeps a notification whose first attempt is due after the plan's delay.
pub(super) async fn insert(
    connection: &mut AnyConnection,
    channel: ChannelId,
    url: &str,
    what: &What,
    plan: &Plan,
    gap_scale: f64,
    now: Milliseconds,
) -> Result<(), sqlx::Error> {
    let content = serde_json::to_string(what).map_err(|error| sqlx::Error::Encode(error.into()))?;
    sqlx::query(
        "INSERT INTO notice (notice_id, channel, payment_no, url, content, state, due_at, tamper, tampered_attempts, copies,
            answers_lost, full_schedule, created_at)
         VALUES ($1, $2, $3, $4, $5, 'waiting', $6, $7, $8, $9, $10, $11, $12)",
    )
    .bind(what.notice_id.as_str())
    .bind(channel.as_str())
    .bind(what.payment_no.as_str())
    .bind(url)
    .bind(content)
    .bind(now.saturating_add(scaled(plan.delay, gap_scale)))
    .bind(name_of(&plan.tamper))
    .bind(plan.tampered_attempts)
    .bind(plan.copies)
    .bind(plan.answers_lost)
    .bind(i64::from(plan.full_schedule))
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// A duration of the schedule as this gateway lives it, in milliseconds.
pub fn scaled(duration: Duration, scale: f64) -> i64 {
    milliseconds(duration.mul_f64(scale))
}

impl Store {
    /// Keeps a notification that belongs to no payment of this gateway, or repeats one.
    pub async fn schedule(
        &self,
        channel: ChannelId,
        url: &str,
        what: &What,
        plan: &Plan,
        gap_scale: f64,
    ) -> Result<(), sqlx::Error> {
        insert(
            &mut *self.writer().await?,
            channel,
            url,
            what,
            plan,
            gap_scale,
            self.clock.now(),
        )
        .await
    }

    /// Claims what is due, oldest first. Each comes to one caller only, until its claim runs out.
    pub async fn claim_due(&self, limit: i64) -> Result<Vec<Notice>, sqlx::Error> {
        let now = self.clock.now();
        let rows =
            sqlx::query("SELECT * FROM notice WHERE state = 'waiting' AND due_at <= $1 ORDER BY due_at LIMIT $2")
                .bind(now)
                .bind(limit)
                .fetch_all(&mut *self.reader().await?)
                .await?;
        let mut claimed = Vec::new();
        for row in &rows {
            let mut notice = notice_of(row)?;
            let won = sqlx::query(
                "UPDATE notice SET attempts = attempts + 1, due_at = $1
                 WHERE notice_id = $2 AND state = 'waiting' AND attempts = $3 AND due_at = $4",
            )
            .bind(now + CLAIM_MILLISECONDS)
            .bind(notice.notice_id.as_str())
            .bind(notice.attempts)
            .bind(notice.due_at)
            .execute(&mut *self.writer().await?)
            .await?;
            if won.rows_affected() == 1 {
                notice.attempts += 1;
                claimed.push(notice);
            }
        }
        Ok(claimed)
    }

    /// Notes how an attempt ended and when the next one is due.
    pub async fn attempted(&self, notice: &Notice, acknowledged: bool, gap_scale: f64) -> Result<(), sqlx::Error> {
        let gaps = schedule::gaps(notice.channel);
        let done_attempts = usize::try_from(notice.attempts).unwrap_or(usize::MAX);
        let next = done_attempts.checked_sub(1).and_then(|index| gaps.get(index));
        let acknowledged = acknowledged || notice.acknowledged;
        let (state, wait) = match next {
            _ if acknowledged && !notice.full_schedule => ("acknowledged", 0),
            Some(gap) => ("waiting", scaled(*gap, gap_scale)),
            None if acknowledged => ("acknowledged", 0),
            None => ("given_up", 0),
        };
        sqlx::query(
            "UPDATE notice SET state = $1, due_at = $2, acknowledged = $3 WHERE notice_id = $4 AND attempts = $5",
        )
        .bind(state)
        .bind(self.clock.now().saturating_add(wait))
        .bind(i64::from(acknowledged))
        .bind(notice.notice_id.as_str())
        .bind(notice.attempts)
        .execute(&mut *self.writer().await?)
        .await?;
        Ok(())
    }

    /// Makes a waiting notification due now. False if it is not waiting.
    pub async fn send_now(&self, notice_id: &str) -> Result<bool, sqlx::Error> {
        let moved = sqlx::query("UPDATE notice SET due_at = $1 WHERE notice_id = $2 AND state = 'waiting'")
            .bind(self.clock.now())
            .bind(notice_id)
            .execute(&mut *self.writer().await?)
            .await?;
        Ok(moved.rows_affected() == 1)
    }

    /// When the next attempt of any notification is due.
    pub async fn next_due(&self) -> Result<Option<Milliseconds>, sqlx::Error> {
        let row = sqlx::query("SELECT due_at FROM notice WHERE state = 'waiting' ORDER BY due_at LIMIT 1")
            .fetch_optional(&mut *self.reader().await?)
            .await?;
        row.map(|row| row.try_get("due_at")).transpose()
    }

    /// The last notifications, waiting ones first.
    pub async fn notices(&self, limit: i64) -> Result<Vec<Notice>, sqlx::Error> {
        let rows = sqlx::query(
            "SELECT * FROM notice ORDER BY CASE state WHEN 'waiting' THEN 0 ELSE 1 END, created_at DESC LIMIT $1",
        )
        .bind(limit)
        .fetch_all(&mut *self.reader().await?)
        .await?;
        rows.iter().map(notice_of).collect()
    }
}

fn notice_of(row: &AnyRow) -> Result<Notice, sqlx::Error> {
    let content: String = row.try_get("content")?;
    let tamper: String = row.try_get("tamper")?;
    Ok(Notice {
        notice_id: row.try_get("notice_id")?,
        channel: channel_of(row)?,
        payment_no: row.try_get("payment_no")?,
        url: row.try_get("url")?,
        what: serde_json::from_str(&content).map_err(|error| sqlx::Error::Decode(error.into()))?,
        state: row.try_get("state")?,
        attempts: row.try_get("attempts")?,
        due_at: row.try_get("due_at")?,
        tamper: Tamper::from_str(&tamper, false).map_err(|_| unreadable("tamper", &tamper))?,
        tampered_attempts: row.try_get("tampered_attempts")?,
        copies: row.try_get("copies")?,
        answers_lost: row.try_get("answers_lost")?,
        full_schedule: row.try_get::<i64, _>("full_schedule")? != 0,
        acknowledged: row.try_get::<i64, _>("acknowledged")? != 0,
    })
}
