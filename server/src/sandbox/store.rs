//! The gateway's own database, apart from the shop's: a provider keeps its own books.
//!
//! Several processes may have it open (a restarted gateway, the command line); every decision is a unique key or a condition in the
//! statement.

use crate::{
    channels::ChannelId,
    clock::{Clock, Milliseconds},
    db::Database,
    durations::Durations,
};
use anyhow::Context as _;
use sqlx::{
    Any, AnyConnection, Row as _, SqlSafeStr as _, Transaction,
    any::AnyRow,
    migrate::{Migration, MigrationType, Migrator},
    pool::PoolConnection,
};
use std::path::{Path, PathBuf};

const FIRST: &str = include_str!("../../../migrations/sandbox/0001_gateway.sql");

/// Connections to the gateway's database.
#[derive(Clone, Debug)]
pub struct Store {
    database: Database,
    /// The clock of everything that the gateway dates.
    pub clock: Clock,
}

/// One line of what came in or went out.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// When.
    pub at: Milliseconds,
    /// Over which protocol.
    pub channel: String,
    /// `received` or `sent`, seen from the gateway.
    pub direction: &'static str,
    /// Method and address.
    pub what: String,
    /// HTTP status of the answer; 0 when there was none.
    pub status: u16,
    /// Body of the request.
    pub request: String,
    /// Body of the answer, or why there is none.
    pub answer: String,
}

/// Longest body that a line of traffic keeps, in characters.
const KEPT_CHARACTERS: usize = 4_000;

impl Store {
    /// Where the database of a data directory is.
    pub fn file(data_dir: &Path) -> PathBuf {
        data_dir.join("sandbox").join("sandbox.sqlite")
    }

    /// Opens the database, making it if it is not there. The directory is.
    pub async fn open(data_dir: &Path, clock: Clock) -> anyhow::Result<Self> {
        let url = format!("sqlite:{}?mode=rwc", Self::file(data_dir).display());
        let database = Database::connect(&url, &Durations::default())
            .await
            .context("the sandbox gateway's database cannot be opened")?;
        let migration = Migration::new(1, "gateway".into(), MigrationType::Simple, FIRST.into_sql_str(), false);
        Migrator::with_migrations(vec![migration])
            .run(&mut *database.writer().await?)
            .await
            .context("the sandbox gateway's tables could not be brought up to date")?;
        Ok(Self { database, clock })
    }

    /// A connection that may write.
    pub async fn writer(&self) -> Result<PoolConnection<Any>, sqlx::Error> {
        self.database.writer().await
    }

    /// A connection for reading.
    pub async fn reader(&self) -> Result<PoolConnection<Any>, sqlx::Error> {
        self.database.reader().await
    }

    /// Begins a transaction that writes.
    pub async fn begin<'c>(&self, connection: &'c mut AnyConnection) -> Result<Transaction<'c, Any>, sqlx::Error> {
        self.database.begin(connection).await
    }

    /// Closes every connection.
    pub async fn close(&self) {
        self.database.close().await;
    }

    /// Keeps a line of traffic. A failure is no reason to fail what the line is about, so it only goes to the log.
    pub async fn keep(&self, line: &Traffic) {
        let kept = async {
            sqlx::query(
                "INSERT INTO traffic (at, channel, direction, what, status, request, answer)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
            )
            .bind(line.at)
            .bind(line.channel.as_str())
            .bind(line.direction)
            .bind(line.what.as_str())
            .bind(i64::from(line.status))
            .bind(shortened(&line.request))
            .bind(shortened(&line.answer))
            .execute(&mut *self.writer().await?)
            .await
        };
        if let Err(error) = kept.await {
            tracing::warn!(%error, "the sandbox gateway could not keep a line of its traffic");
        }
    }

    /// The last lines of traffic, newest first.
    pub async fn traffic(&self, limit: i64) -> Result<Vec<Traffic>, sqlx::Error> {
        let rows = sqlx::query(
            "SELECT at, channel, direction, what, status, request, answer FROM traffic ORDER BY traffic_id DESC LIMIT $1",
        )
        .bind(limit)
        .fetch_all(&mut *self.reader().await?)
        .await?;
        rows.iter().map(traffic_of).collect()
    }
}

fn traffic_of(row: &AnyRow) -> Result<Traffic, sqlx::Error> {
    let direction: String = row.try_get("direction")?;
    Ok(Traffic {
        at: row.try_get("at")?,
        channel: row.try_get("channel")?,
        direction: if direction == "sent" { "sent" } else { "received" },
        what: row.try_get("what")?,
        status: u16::try_from(row.try_get::<i64, _>("status")?).unwrap_or_default(),
        request: row.try_get("request")?,
        answer: row.try_get("answer")?,
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(KEPT_CHARACTERS) {
        // A NUL would end the text for some readers of the file.
        None => text.replace('\0', "␀"),
        Some((end, _)) => format!("{}…", text[..end].replace('\0', "␀")),
    }
}

/// Reads a channel's name out of a column.
pub(super) fn channel_of(row: &AnyRow) -> Result<ChannelId, sqlx::Error> {
    let name: String = row.try_get("channel")?;
    ChannelId::parse(&name).ok_or_else(|| unreadable("channel", &name))
}

/// A column that holds what no version of this program writes there.
pub(super) fn unreadable(column: &str, value: &str) -> sqlx::Error {
    sqlx::Error::Decode(format!("{column} holds '{value}'").into())
}
