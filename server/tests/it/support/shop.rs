//! The shop: in this process ([`Shop`]) or as a process of its own that can be killed ([`ShopProcess`]).

use super::services::{Postgres, Redis};
use clap::Parser;
use server::{
    config::{Options, Settings},
    db::{Database, Dialect},
    durations::Durations,
    sandbox::keys::SandboxKeys,
    serve,
    signing::SigningKeys,
};
use sqlx::Row as _;
use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::OnceLock,
};
use tempfile::TempDir;

/// What the shop stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The embedded default, without a gate.
    Sqlite,
    /// PostgreSQL with Redis in front.
    PostgresAndRedis,
}

/// Where one test's shops keep their things, and what they are told at their start.
pub struct Place {
    directory: TempDir,
    /// Database.
    pub database_url: String,
    /// Redis, if there is a gate.
    pub redis_url: Option<String>,
    signing_keys: String,
}

/// Making the sandbox gateway's keys takes a second of computing: they are made once, and every place gets the same.
fn copy_sandbox_keys(data_dir: &Path) {
    static MADE: OnceLock<TempDir> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let directory = TempDir::new().expect("a temporary directory");
        SandboxKeys::open(directory.path()).expect("the keys can be made");
        directory
    });
    let (from, to) = (made.path().join("sandbox"), data_dir.join("sandbox"));
    std::fs::create_dir(&to).expect("a directory");
    for file in std::fs::read_dir(from).expect("the keys") {
        let file = file.expect("a file");
        std::fs::copy(file.path(), to.join(file.file_name())).expect("a copy");
    }
}

/// The program, with nothing of the tests' own environment but where programs are.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oncemart"));
    command
        .env_clear()
        .envs(std::env::var("PATH").map(|path| ("PATH", path)));
    command
}

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    options: Options,
}

impl Place {
    /// A new place on shared services.
    pub async fn new(backend: Backend) -> Self {
        match backend {
            Backend::Sqlite => Self::on(None, None),
            Backend::PostgresAndRedis => Self::on(
                Some(Postgres::shared().new_database().await),
                Some(Redis::shared().url()),
            ),
        }
    }

    /// A new place on given services; SQLite when there is no URL.
    pub fn on(database_url: Option<String>, redis_url: Option<String>) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        copy_sandbox_keys(directory.path());
        let sqlite = format!("sqlite:{}?mode=rwc", directory.path().join("oncemart.sqlite").display());
        Self {
            database_url: database_url.unwrap_or(sqlite),
            redis_url,
            signing_keys: SigningKeys::generate(),
            directory,
        }
    }

    /// Signs with the first of these keys from the next opening on; all of them verify.
    pub fn sign_with(&mut self, keys: &[&str]) {
        self.signing_keys = keys.join(",");
    }

    /// The place's directory.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    fn arguments(&self, more: &[&str]) -> Vec<String> {
        let mut arguments = vec![
            "--addr=127.0.0.1:0".to_owned(),
            format!("--signing-keys={}", self.signing_keys),
        ];
        arguments.extend(self.store_arguments());
        if !more.contains(&"--sandbox=false") {
            arguments.push("--sandbox=true".to_owned());
        }
        arguments.extend(self.redis_url.iter().map(|url| format!("--redis-url={url}")));
        arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
        arguments
    }

    /// Opens a shop here, in this process.
    pub async fn open(&self) -> Shop<'_> {
        self.open_with(&[]).await
    }

    /// Opens a shop here with more flags.
    pub async fn open_with(&self, more: &[&str]) -> Shop<'_> {
        let arguments = std::iter::once("oncemart".to_owned()).chain(self.arguments(more));
        let options = Program::try_parse_from(arguments)
            .unwrap_or_else(|error| panic!("{error}"))
            .options;
        let settings = Settings::try_from(options).expect("the settings are good");
        let running = serve::start(settings).await.expect("the shop opens");
        Shop {
            url: format!("http://{}", running.address),
            running,
            _place: self,
        }
    }

    /// Opens a shop here as a process of its own.
    pub fn spawn(&self, more: &[&str]) -> ShopProcess {
        self.spawn_logging(more, "error", Stdio::null())
    }

    /// Opens a shop here as a process of its own whose machine stands in another time zone.
    pub fn spawn_in_zone(&self, more: &[&str], zone: &str) -> ShopProcess {
        let mut command = program();
        command
            .arg("serve")
            .args(self.arguments(more))
            .envs([("RUST_LOG", "error"), ("TZ", zone)])
            .stderr(Stdio::null());
        ShopProcess::start(&mut command, "Oncemart is open at ")
    }

    /// Opens a shop here as a process of its own that writes log lines of that level.
    pub fn spawn_logging(&self, more: &[&str], level: &str, log: impl Into<Stdio>) -> ShopProcess {
        let mut command = program();
        command
            .arg("serve")
            .args(self.arguments(more))
            .env("RUST_LOG", level)
            .stderr(log);
        ShopProcess::start(&mut command, "Oncemart is open at ")
    }

    /// Opens a shop here at a given address, without a gateway of its own: its channels are what a file of settings says.
    pub fn spawn_configured(&self, address: &str, settings: &Path) -> ShopProcess {
        let mut command = program();
        command
            .arg("serve")
            .args([format!("--addr={address}"), "--sandbox=false".to_owned()])
            .args([
                "--api-clients=demo=demo".to_owned(),
                format!("--signing-keys={}", self.signing_keys),
            ])
            .args(self.store_arguments())
            .args(self.redis_url.iter().map(|url| format!("--redis-url={url}")))
            .env("ONCEMART_CONFIG", settings)
            .env("RUST_LOG", "error")
            .stderr(Stdio::null());
        ShopProcess::start(&mut command, "Oncemart is open at ")
    }

    /// Runs a command beside the shop.
    pub fn run(&self, command: &[&str]) -> Output {
        program()
            .args(command)
            .args(self.store_arguments())
            .output()
            .expect("the program runs")
    }

    fn store_arguments(&self) -> [String; 2] {
        [
            format!("--data-dir={}", self.directory.path().display()),
            format!("--database-url={}", self.database_url),
        ]
    }

    /// The database behind the shop, for a look.
    pub async fn database(&self) -> Database {
        Database::connect(&self.database_url, &Durations::default())
            .await
            .expect("the database answers")
    }

    /// One number out of the database.
    pub async fn number(&self, sql: &'static str) -> i64 {
        let database = self.database().await;
        let row = sqlx::query(sql)
            .fetch_one(&mut *database.reader().await.expect("a connection"))
            .await
            .expect("a row");
        let number = row.try_get::<i64, _>(0).expect("a number");
        database.close().await;
        number
    }

    /// One number out of the database about whatever `$1` is.
    pub async fn number_of(&self, sql: &'static str, about: &str) -> i64 {
        let database = self.database().await;
        let row = sqlx::query(sql)
            .bind(about)
            .fetch_one(&mut *database.reader().await.expect("a connection"))
            .await
            .expect("a row");
        let number = row.try_get::<i64, _>(0).expect("a number");
        database.close().await;
        number
    }

    /// Number of rows of every table that there is.
    pub async fn row_counts(&self) -> BTreeMap<String, i64> {
        let database = self.database().await;
        let mut connection = database.reader().await.expect("a connection");
        let tables = match database.dialect {
            Dialect::Sqlite => "SELECT name FROM sqlite_master WHERE type = 'table'",
            Dialect::Postgres => {
                "SELECT CAST(table_name AS TEXT) FROM information_schema.tables WHERE table_schema = 'public'"
            }
        };
        let tables = sqlx::query(tables).fetch_all(&mut *connection).await.expect("rows");
        let mut counts = BTreeMap::new();
        for table in tables {
            let table: String = table.try_get(0).expect("a name");
            let count = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
            let row = sqlx::query(count).fetch_one(&mut *connection).await.expect("a row");
            counts.insert(table, row.try_get(0).expect("a number"));
        }
        drop(connection);
        database.close().await;
        counts
    }

    /// One text out of the database.
    pub async fn text(&self, sql: &'static str) -> String {
        let database = self.database().await;
        let row = sqlx::query(sql)
            .fetch_one(&mut *database.reader().await.expect("a connection"))
            .await
            .expect("a row");
        let text = row.try_get::<String, _>(0).expect("a text");
        database.close().await;
        text
    }

    /// Changes the database behind the shop's back.
    pub async fn execute(&self, sql: &'static str) {
        let database = self.database().await;
        sqlx::query(sql)
            .execute(&mut *database.writer().await.expect("a connection"))
            .await
            .expect("the statement is good");
        database.close().await;
    }

    /// Number of orders.
    pub async fn orders(&self) -> i64 {
        self.number("SELECT COUNT(*) FROM orders").await
    }

    /// What must hold whatever happened: balances are the sums of their ledgers, every order's pieces are reserved exactly once,
    /// every order has its lines, its first event and its message.
    pub async fn assert_consistent(&self) {
        for (rule, sql) in [
            (
                "stock balances are the sums of their ledger",
                "SELECT COUNT(*) FROM product WHERE available <>
                     (SELECT COALESCE(SUM(available_change), 0) FROM stock_ledger WHERE stock_ledger.sku = product.sku)
                   OR reserved <>
                     (SELECT COALESCE(SUM(reserved_change), 0) FROM stock_ledger WHERE stock_ledger.sku = product.sku)",
            ),
            (
                "every product's reserved pieces are those of its orders that are neither paid nor closed yet",
                "SELECT COUNT(*) FROM product WHERE reserved <>
                     (SELECT COALESCE(SUM(quantity), 0) FROM order_line WHERE order_line.sku = product.sku
                        AND NOT EXISTS (SELECT 1 FROM stock_ledger WHERE stock_ledger.reference = order_line.order_no
                          AND stock_ledger.sku = order_line.sku AND stock_ledger.kind IN ('deducted', 'released')))",
            ),
            ("no stock is negative", "SELECT COUNT(*) FROM product WHERE available < 0 OR reserved < 0"),
            (
                "every order has a first event",
                "SELECT COUNT(*) FROM orders WHERE NOT EXISTS
                     (SELECT 1 FROM order_event WHERE order_event.order_no = orders.order_no AND order_event.version = 1)",
            ),
            (
                "every order has its message",
                "SELECT COUNT(*) FROM orders WHERE NOT EXISTS
                     (SELECT 1 FROM outbox_message WHERE outbox_message.order_no = orders.order_no AND kind = 'ORDER_PLACED')",
            ),
            (
                "nothing belongs to an order that is not there",
                "SELECT COUNT(*) FROM order_line WHERE NOT EXISTS
                     (SELECT 1 FROM orders WHERE order_line.order_no = orders.order_no)",
            ),
            (
                "an order's money is what came in for it, and what went back is what was asked back",
                "SELECT COUNT(*) FROM orders WHERE paid_fen <>
                     (SELECT COALESCE(SUM(amount_fen), 0) FROM money_ledger
                      WHERE money_ledger.order_no = orders.order_no AND kind = 'paid')
                   OR -refunded_fen <>
                     (SELECT COALESCE(SUM(amount_fen), 0) FROM money_ledger
                      WHERE money_ledger.order_no = orders.order_no AND kind = 'refunded')
                   OR refund_asked_fen <>
                     (SELECT COALESCE(SUM(amount_fen), 0) FROM refund
                      WHERE refund.order_no = orders.order_no AND purpose = 'order' AND status <> 'REFUSED')",
            ),
            (
                "surplus money has one refund each, and goes back at most once",
                "SELECT COUNT(*) FROM money_ledger WHERE kind = 'surplus' AND
                     (SELECT COUNT(*) FROM surplus JOIN refund ON refund.refund_no = surplus.refund_no
                      WHERE surplus.channel = money_ledger.channel AND surplus.transaction_id = money_ledger.reference
                        AND refund.amount_fen = money_ledger.amount_fen AND refund.purpose = 'surplus') <> 1",
            ),
            (
                "every version of an order has its line in the journal",
                "SELECT COUNT(*) FROM orders WHERE version <>
                     (SELECT COUNT(*) FROM order_event WHERE order_event.order_no = orders.order_no)",
            ),
            (
                "coupon balances are the sums of their ledger",
                "SELECT COUNT(*) FROM coupon WHERE remaining <>
                     (SELECT COALESCE(SUM(remaining_change), 0) FROM coupon_ledger WHERE coupon_ledger.code = coupon.code)",
            ),
        ] {
            assert_eq!(self.number(sql).await, 0, "{rule}");
        }
    }
}

/// A shop in this process.
pub struct Shop<'p> {
    /// Where it is.
    pub url: String,
    /// The server.
    pub running: serve::Shop,
    /// Where it keeps its things, which must not go before it.
    _place: &'p Place,
}

impl Shop<'_> {
    /// Closes it in good order.
    pub async fn close(self) {
        self.running.stop().await.expect("the shop closes");
    }
}

/// A shop as a process of its own.
pub struct ShopProcess {
    /// Where it is.
    pub url: String,
    child: Child,
    _output: BufReader<std::process::ChildStdout>,
}

impl ShopProcess {
    /// Starts a program that says where it is open, and waits until it does.
    pub fn start(command: &mut Command, says: &str) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut output = BufReader::new(child.stdout.take().expect("its output is piped"));
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        let url = line
            .trim()
            .strip_prefix(says)
            .unwrap_or_else(|| panic!("it opens: {line}"));
        Self {
            url: url.to_owned(),
            child,
            _output: output,
        }
    }

    /// Ends the process as `kill -9` does.
    pub fn kill(&mut self) {
        self.child.kill().expect("the process is there");
        self.child.wait().expect("the process ends");
    }

    /// Waits until the process has ended by itself.
    pub fn wait_for_end(&mut self) {
        self.child.wait().expect("the process ends");
    }
}

impl Drop for ShopProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
