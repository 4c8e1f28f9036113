//! PostgreSQL and Redis as throwaway processes. The programs come from the system's packages (`cargo xtask setup` installs them);
//! a test that needs one fails when it is missing, it is never skipped.

use super::daemon::{Daemon, free_port};
use sqlx::{Connection as _, PgConnection};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Longest time for a service to come up.
const START_TIME: Duration = Duration::from_secs(30);

/// A PostgreSQL server.
pub struct Postgres {
    directory: PathBuf,
    port: u16,
    daemon: Option<Daemon>,
    keep_directory: bool,
}

impl Postgres {
    /// The server that the tests of this process share.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Postgres> = OnceLock::new();
        SHARED.get_or_init(|| Self::new(false))
    }

    /// A server of one test's own, which may be stopped.
    pub fn own() -> Self {
        Self::new(true)
    }

    fn new(keep_directory: bool) -> Self {
        let directory = TempDir::new().expect("a temporary directory").keep();
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(&directory));
        }
        run(as_postgres(&program("initdb"))
            .args([
                "--auth=trust",
                "--username=postgres",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
                "-D",
            ])
            .arg(directory.join("data"))
            .current_dir(&directory));
        let mut postgres = Self {
            directory,
            port: free_port(),
            daemon: None,
            keep_directory,
        };
        postgres.start();
        postgres
    }

    /// Starts the server, after a stop too.
    pub fn start(&mut self) {
        let postgres = program("postgres");
        let (data, port) = (self.directory.join("data"), self.port.to_string());
        let mut command: Vec<&str> = Vec::new();
        if is_root() {
            command.extend(["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]);
        }
        let socket = self.directory.to_str().expect("a plain path");
        command.extend([
            postgres.to_str().expect("a plain path"),
            "-D",
            data.to_str().expect("a plain path"),
        ]);
        command.extend([
            "-p",
            &port,
            "-h",
            "127.0.0.1",
            "-k",
            socket,
            "-c",
            "fsync=off",
            "-c",
            "max_connections=400",
        ]);
        let remove = (!self.keep_directory).then_some(self.directory.as_path());
        self.daemon = Some(Daemon::start(&command, &self.directory.join("log"), "QUIT", remove));
        let started = Instant::now();
        let ready = program("pg_isready");
        while !Command::new(&ready)
            .args(["-q", "-h", "127.0.0.1", "-p", &port])
            .status()
            .expect("pg_isready runs")
            .success()
        {
            assert!(
                started.elapsed() < START_TIME,
                "PostgreSQL starts; see {}",
                self.directory.join("log").display()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Stops the server in immediate mode: every connection is cut, nothing is finished.
    pub fn stop_immediately(&mut self) {
        self.daemon = None;
    }

    /// A new, empty database.
    pub async fn new_database(&self) -> String {
        let name = format!("shop_{}", uuid::Uuid::now_v7().simple());
        let mut connection = PgConnection::connect(&self.url("postgres"))
            .await
            .expect("PostgreSQL answers");
        sqlx::query(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(&mut connection)
            .await
            .expect("a database");
        connection.close().await.expect("goodbye");
        self.url(&name)
    }

    /// Its port on loopback.
    pub fn port(&self) -> u16 {
        self.port
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.daemon = None;
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// A Redis server.
pub struct Redis {
    directory: TempDir,
    port: u16,
    daemon: Option<Daemon>,
}

impl Redis {
    /// The server that the tests of this process share.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Redis> = OnceLock::new();
        SHARED.get_or_init(Self::own)
    }

    /// A server of one test's own, which may be stopped, flushed or frozen.
    pub fn own() -> Self {
        let mut redis = Self {
            directory: TempDir::new().expect("a temporary directory"),
            port: free_port(),
            daemon: None,
        };
        redis.start();
        redis
    }

    /// Starts the server, after a stop too.
    pub fn start(&mut self) {
        let (port, directory) = (
            self.port.to_string(),
            self.directory.path().to_str().expect("a plain path"),
        );
        let command = [
            "redis-server",
            "--port",
            &port,
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            directory,
        ];
        self.daemon = Some(Daemon::start(
            &command,
            &self.directory.path().join("log"),
            "KILL",
            Some(self.directory.path()),
        ));
        let started = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(
                started.elapsed() < START_TIME,
                "Redis starts; is redis-server installed? `cargo xtask setup`"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Stops the server at once.
    pub fn stop(&mut self) {
        self.daemon = None;
        fs::create_dir_all(self.directory.path()).expect("a directory");
    }

    /// Stops the server's clock: connections stay open and nothing answers.
    pub fn freeze(&self) {
        self.daemon.as_ref().expect("Redis runs").signal("STOP");
    }

    /// Forgets everything.
    pub async fn flush(&self) {
        let mut connection = self.connection().await;
        redis::cmd("FLUSHALL")
            .exec_async(&mut connection)
            .await
            .expect("Redis flushes");
    }

    /// Number of keys.
    pub async fn keys(&self) -> i64 {
        let mut connection = self.connection().await;
        redis::cmd("DBSIZE")
            .query_async(&mut connection)
            .await
            .expect("Redis counts")
    }

    /// A connection of the test's own.
    pub async fn connection(&self) -> redis::aio::MultiplexedConnection {
        let client = redis::Client::open(self.url()).expect("a URL");
        client.get_multiplexed_async_connection().await.expect("Redis answers")
    }

    /// Its URL.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id runs");
    id.stdout.trim_ascii() == b"0"
}

/// PostgreSQL refuses to run as root.
fn as_postgres(program: &Path) -> Command {
    if is_root() {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=postgres", "--regid=postgres", "--clear-groups"])
            .arg(program);
        command
    } else {
        Command::new(program)
    }
}

/// A program of PostgreSQL's, which Debian keeps off the path.
fn program(name: &str) -> PathBuf {
    let mut versions: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .map(|versions| {
            versions
                .flatten()
                .map(|version| version.path().join("bin").join(name))
                .collect()
        })
        .unwrap_or_default();
    versions.retain(|path| path.exists());
    versions.sort();
    versions.pop().unwrap_or_else(|| PathBuf::from(name))
}

fn run(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}; `cargo xtask setup` installs it"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
