//! The database: SQLite by default, PostgreSQL when configured, one SQL text for both through sqlx's Any driver.
//!
//! Where the two differ, the difference stands in [`Dialect`] or in `idempotency/record.rs` (the claim), named, and nowhere else.

use crate::durations::Durations;
use sqlx::{
    Any, AnyConnection, AnyPool, Connection as _, Executor as _, SqlSafeStr as _, Transaction,
    any::AnyPoolOptions,
    migrate::{Migration, MigrationType, Migrator},
    pool::PoolConnection,
};
use std::time::Duration;

/// Which database this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The embedded default: one writer at a time.
    Sqlite,
    /// Any number of servers on one database.
    Postgres,
}

impl Dialect {
    /// Reads the dialect off a connection URL.
    pub fn of_url(url: &str) -> Option<Self> {
        if url.starts_with("sqlite:") {
            Some(Self::Sqlite)
        } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            Some(Self::Postgres)
        } else {
            None
        }
    }

    /// The migrations, by number. The texts are part of the program, which needs no source tree.
    fn migrations(self) -> Migrator {
        let texts = match self {
            Self::Sqlite => [
                (1, "shop", include_str!("../../migrations/sqlite/0001_shop.sql")),
                (2, "payment", include_str!("../../migrations/sqlite/0002_payment.sql")),
            ],
            Self::Postgres => [
                (1, "shop", include_str!("../../migrations/postgres/0001_shop.sql")),
                (2, "payment", include_str!("../../migrations/postgres/0002_payment.sql")),
            ],
        };
        let migration = |(number, name, sql): (i64, &'static str, &'static str)| {
            Migration::new(number, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
        };
        Migrator::with_migrations(texts.map(migration).into())
    }

    /// How a transaction begins whose statements must all see the same moment.
    pub fn begin_snapshot(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN",
            Self::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }

    /// How a transaction that writes begins. On SQLite a transaction that first reads and then writes would fail at once when
    /// another has written in between; taking the write lock first makes it wait instead. PostgreSQL decides row by row.
    pub fn begin_write(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => "BEGIN ISOLATION LEVEL READ COMMITTED",
        }
    }
}

/// Connections to the database.
#[derive(Clone, Debug)]
pub struct Database {
    /// Which database this is.
    pub dialect: Dialect,
    /// For everything that writes. On SQLite it has one connection: the one writer.
    writers: AnyPool,
    /// For pages and reads beside the writer. On PostgreSQL the same pool.
    readers: AnyPool,
}

/// Connections that one server holds to PostgreSQL at most.
const POSTGRES_CONNECTIONS: u32 = 16;

/// Connections that read beside SQLite's one writer.
const SQLITE_READERS: u32 = 4;

impl Database {
    /// Connects, without changing anything.
    pub async fn connect(url: &str, durations: &Durations) -> Result<Self, sqlx::Error> {
        sqlx::any::install_default_drivers();
        match Dialect::of_url(url) {
            Some(Dialect::Postgres) => {
                let writers = pool(POSTGRES_CONNECTIONS, durations, postgres_settings(durations))
                    .connect(url)
                    .await?;
                Ok(Self {
                    dialect: Dialect::Postgres,
                    readers: writers.clone(),
                    writers,
                })
            }
            Some(Dialect::Sqlite) => {
                let writers = pool(1, durations, sqlite_settings(durations)).connect(url).await?;
                let readers = pool(
                    SQLITE_READERS,
                    durations,
                    format!("{} PRAGMA query_only = ON;", sqlite_settings(durations)),
                )
                .connect(url)
                .await?;
                Ok(Self {
                    dialect: Dialect::Sqlite,
                    writers,
                    readers,
                })
            }
            None => Err(sqlx::Error::Configuration(
                "the database URL begins with neither sqlite: nor postgres:".into(),
            )),
        }
    }

    /// Brings the tables up to this version of the program.
    pub async fn migrate(&self) -> Result<(), sqlx::migrate::MigrateError> {
        let mut connection = self.writers.acquire().await?;
        self.dialect.migrations().run(&mut *connection).await
    }

    /// A connection that may write; an error when there is none in time.
    pub async fn writer(&self) -> Result<PoolConnection<Any>, sqlx::Error> {
        self.writers.acquire().await
    }

    /// A connection for reading.
    pub async fn reader(&self) -> Result<PoolConnection<Any>, sqlx::Error> {
        self.readers.acquire().await
    }

    /// Begins a transaction that writes.
    pub async fn begin<'c>(&self, connection: &'c mut AnyConnection) -> Result<Transaction<'c, Any>, sqlx::Error> {
        connection.begin_with(self.dialect.begin_write()).await
    }

    /// Begins a transaction that only reads, and reads one moment.
    pub async fn snapshot<'c>(&self, connection: &'c mut AnyConnection) -> Result<Transaction<'c, Any>, sqlx::Error> {
        connection.begin_with(self.dialect.begin_snapshot()).await
    }

    /// Closes every connection, after what is in hand.
    pub async fn close(&self) {
        self.writers.close().await;
        self.readers.close().await;
    }
}

fn pool(connections: u32, durations: &Durations, settings: String) -> AnyPoolOptions {
    AnyPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(durations.connection_wait)
        .after_connect(move |connection, _| {
            let settings = settings.clone();
            Box::pin(async move {
                connection.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(settings))).await?;
                Ok(())
            })
        })
}

fn postgres_settings(durations: &Durations) -> String {
    let timeout = durations.statement_timeout.as_millis();
    // A transaction that its client has forgotten must not hold its locks past the call.
    let idle = durations.call_timeout.as_millis();
    format!(
        "SET statement_timeout = {timeout}; SET lock_timeout = {timeout}; SET idle_in_transaction_session_timeout = {idle};"
    )
}

fn sqlite_settings(durations: &Durations) -> String {
    let busy = durations.statement_timeout.as_millis();
    format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = {busy};"
    )
}

/// Whether the database says "try the transaction again": a deadlock or a serialization failure.
pub fn is_retryable(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .and_then(|error| error.code())
        .is_some_and(|code| matches!(&*code, "40001" | "40P01"))
}

/// Whether a lock was not had in time (PostgreSQL's `lock_not_available`).
pub fn is_lock_timeout(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .and_then(|error| error.code())
        .is_some_and(|code| &*code == "55P03")
}

/// Limits how long the next statements of this transaction wait for a lock. SQLite has one writer, hence nothing to wait for.
pub async fn limit_lock_wait(
    dialect: Dialect,
    connection: &mut AnyConnection,
    limit: Duration,
) -> Result<(), sqlx::Error> {
    if dialect == Dialect::Postgres {
        let milliseconds = limit.as_millis().to_string();
        sqlx::query("SELECT set_config('lock_timeout', $1, true)")
            .bind(milliseconds)
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// Whether an error means "not now" (away, too slow, no connection free) rather than a defect of ours.
pub fn is_unavailable(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed
        | sqlx::Error::BeginFailed => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| {
            // PostgreSQL's classes: connection, rollback, resources, object in use, operator intervention, system error.
            // SQLite's codes: busy, locked, read-only, disk error, disk full, cannot open.
            let class = code.get(..2).unwrap_or("");
            (code.len() == 5 && matches!(class, "08" | "25" | "40" | "53" | "55" | "57" | "58"))
                || code
                    .parse::<i64>()
                    .is_ok_and(|code| code < 10_000 && matches!(code & 255, 5 | 6 | 8 | 10 | 13 | 14))
        }),
        _ => false,
    }
}
