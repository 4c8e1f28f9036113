//! Starting and stopping the shop.

use crate::{
    catalog,
    channels::Channels,
    clock::Clock,
    config::{Settings, StoreSettings},
    coupons,
    db::Database,
    faults::Faults,
    http::{self, AppState},
    idempotency::{Executor, Gate, Waiters},
    orders::submit::Submission,
    payments::Payments,
    sandbox::{Addresses, Gateway, GatewaySettings},
    tokens::OpenTokens,
};
use anyhow::{Context as _, bail};
use leptos::config::LeptosOptions;
use sqlx::Row as _;
use std::{
    fs::{File, TryLockError},
    io::IsTerminal as _,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    path::Path,
    sync::Arc,
    time::Duration,
};
use tokio::{net::TcpListener, sync::Notify, task::JoinHandle};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing_subscriber::EnvFilter;

/// A shop that is open.
#[derive(Debug)]
pub struct Shop {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its executor, for a look at the database behind it.
    pub executor: Arc<Executor>,
    stop: CancellationToken,
    server: JoinHandle<std::io::Result<()>>,
    background: TaskTracker,
    /// Held as long as the shop is open, so that no second server opens the same SQLite file.
    _lock: Option<File>,
}

/// Log lines to standard error; `RUST_LOG` chooses which. Colours only where a person looks: in a file they would break up every
/// search.
pub fn start_logging() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
}

/// Opens the database and brings its tables up to date.
pub async fn open_database(store: &StoreSettings) -> anyhow::Result<Database> {
    let database = Database::connect(&store.database_url, &store.durations)
        .await
        .context("the database cannot be reached; check DATABASE_URL and whether it runs")?;
    database
        .migrate()
        .await
        .context("the database's tables could not be brought up to date")?;
    Ok(database)
}

/// Opens the database of a shop that is there: a command that only looks or mends must not make an empty shop, find nothing wrong
/// in it and say so.
pub async fn open_existing_database(store: &StoreSettings) -> anyhow::Result<Database> {
    if let Some(file) = store.sqlite_file().filter(|file| !file.exists()) {
        bail!(
            "there is no shop in {}; name the server's own with ONCEMART_DATA_DIR or DATABASE_URL",
            file.display()
        );
    }
    open_database(store).await
}

/// Gives an empty shop its products and coupons, and the database its epoch.
pub async fn seed(database: &Database, clock: Clock) -> Result<(), sqlx::Error> {
    let mut connection = database.writer().await?;
    let mut transaction = database.begin(&mut connection).await?;
    catalog::seed(&mut transaction, clock.now()).await?;
    coupons::seed(&mut transaction, clock.now()).await?;
    sqlx::query("INSERT INTO database_epoch (singleton, epoch) VALUES (1, $1) ON CONFLICT (singleton) DO NOTHING")
        .bind(uuid::Uuid::new_v4().simple().to_string())
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await
}

async fn epoch(database: &Database) -> Result<String, sqlx::Error> {
    let mut connection = database.reader().await?;
    sqlx::query("SELECT epoch FROM database_epoch WHERE singleton = 1")
        .fetch_one(&mut *connection)
        .await?
        .try_get("epoch")
}

/// An executor for a command beside the server: the same steps, without a gate, whose results the server's gate may never hear of.
pub async fn executor(store: &StoreSettings) -> anyhow::Result<Executor> {
    let database = open_existing_database(store).await?;
    Ok(executor_on(store, database, Gate::none(), Faults::default()))
}

fn executor_on(store: &StoreSettings, database: Database, gate: Gate, faults: Faults) -> Executor {
    Executor {
        database,
        gate,
        waiters: Waiters::default(),
        clock: store.clock,
        durations: store.durations,
        faults,
        tasks: TaskTracker::new(),
    }
}

/// Opens the shop.
pub async fn start(settings: Settings) -> anyhow::Result<Shop> {
    let lock = lock_sqlite(&settings.store).await?;
    let database = open_database(&settings.store).await?;
    seed(&database, settings.store.clock)
        .await
        .context("the first products could not be written")?;
    let gate = match &settings.redis_url {
        Some(url) => Gate::connect(url, &epoch(&database).await?, &settings.store.durations)
            .context("REDIS_URL cannot be used")?,
        None => Gate::none(),
    };
    let executor = Arc::new(executor_on(&settings.store, database, gate, settings.faults.clone()));
    let stop = CancellationToken::new();
    let background = TaskTracker::new();
    let listener_executor = Arc::clone(&executor);
    let listener_stop = stop.clone();
    background.spawn(async move {
        let waiters = listener_executor.waiters.clone();
        listener_executor.gate.wake_on_messages(waiters, listener_stop).await;
    });
    let listener = TcpListener::bind(settings.addr)
        .await
        .with_context(|| format!("ONCEMART_ADDR: {} cannot be listened on", settings.addr))?;
    let address = listener.local_addr()?;
    let site_root = settings.site_root.clone();
    let leptos = leptos_options(&settings.site_root);
    let (channels, gateway) = open_channels(&settings, address, &leptos).await?;
    let payments = Payments {
        executor: Arc::clone(&executor),
        channels,
        work: Arc::new(Notify::new()),
    };
    if let Some(gateway) = gateway.clone() {
        let stop = stop.clone();
        background.spawn(async move { gateway.run(stop).await });
    }
    let (sweeping, relaying) = (payments.clone(), payments.clone());
    let (sweep_stop, relay_stop) = (stop.clone(), stop.clone());
    background.spawn(async move { sweeping.sweep_until(sweep_stop).await });
    background.spawn(async move { relaying.relay_until(relay_stop).await });
    http::metrics_page::begin();
    let router = http::router(
        state(settings, &executor, payments, leptos, stop.clone()),
        gateway.as_ref().map(Gateway::router),
        &site_root,
    );
    let stopping = stop.clone();
    let server = tokio::spawn(async move {
        axum::serve(listener, router)
            .with_graceful_shutdown(async move { stopping.cancelled().await })
            .await
    });
    Ok(Shop {
        address,
        executor,
        stop,
        server,
        background,
        _lock: lock,
    })
}

/// The payment channels: those that are configured, or the sandbox gateway's, which this server itself serves over HTTP.
async fn open_channels(
    settings: &Settings,
    address: SocketAddr,
    leptos: &LeptosOptions,
) -> anyhow::Result<(Channels, Option<Gateway>)> {
    let (clock, timeout) = (settings.store.clock, settings.store.durations.channel_timeout);
    let public_url = settings
        .public_url
        .as_ref()
        .map(|url| url.to_string().trim_end_matches('/').to_owned());
    let Some(data_dir) = &settings.sandbox else {
        let channels = settings.channels.open(public_url.as_deref(), clock, timeout);
        return Ok((channels.map_err(anyhow::Error::msg)?, None));
    };
    let gateway_settings = GatewaySettings {
        clock,
        gap_scale: settings.sandbox_gap_scale,
        leptos: leptos.clone(),
    };
    let gateway = Gateway::open(data_dir, gateway_settings)
        .await
        .context("the sandbox gateway could not be opened")?;
    let here = format!("http://{}", reachable(address));
    let addresses = Addresses {
        server: format!("{here}/sandbox"),
        browser: format!("{}/sandbox", public_url.as_deref().unwrap_or(&here)),
    };
    let options = gateway
        .keys()
        .channel_options(&addresses.server, &addresses.browser, &here);
    gateway.set_addresses(addresses);
    let channels = options.open(None, clock, timeout).map_err(anyhow::Error::msg)?;
    Ok((channels, Some(gateway)))
}

/// An address that this machine can connect to: who listens everywhere listens on loopback too.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        let loopback = if address.is_ipv4() {
            Ipv4Addr::LOCALHOST.into()
        } else {
            Ipv6Addr::LOCALHOST.into()
        };
        address.set_ip(loopback);
    }
    address
}

/// How Leptos finds the site's files.
pub(crate) fn leptos_options(site_root: &Path) -> LeptosOptions {
    // Leptos reads the hashes from a file beside the program; without it (in tests of the API) the names have none.
    let hashed = std::env::current_exe()
        .ok()
        .and_then(|program| Some(program.parent()?.join("hash.txt").is_file()))
        .unwrap_or(false);
    LeptosOptions::builder()
        .output_name("oncemart")
        .site_root(site_root.display().to_string())
        .site_pkg_dir("pkg")
        .hash_files(hashed)
        .build()
}

fn state(
    settings: Settings,
    executor: &Arc<Executor>,
    payments: Payments,
    leptos: LeptosOptions,
    stop: CancellationToken,
) -> AppState {
    let keys = settings.signing_keys.clone();
    let (clock, durations) = (settings.store.clock, settings.store.durations);
    AppState {
        settings: Arc::new(settings),
        executor: Arc::clone(executor),
        submission: Submission {
            executor: Arc::clone(executor),
            keys: keys.clone(),
            work: Arc::clone(&payments.work),
        },
        open_tokens: OpenTokens {
            database: executor.database.clone(),
            keys,
            clock,
            durations,
        },
        payments,
        stop,
        leptos,
    }
}

/// How long a starting server waits for the one before it: a restart begins while the old process is still ending, and a program
/// that it is just starting has its files open for a moment.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);

/// SQLite has one writer, and what waits for it waits in one process: a second server on the file is refused.
async fn lock_sqlite(store: &StoreSettings) -> anyhow::Result<Option<File>> {
    let Some(database) = store.sqlite_file() else {
        return Ok(None);
    };
    // One file may have several names.
    let real = database.canonicalize().unwrap_or_else(|_| database.to_owned());
    let mut path = real.into_os_string();
    path.push(".lock");
    let file = File::create(&path).with_context(|| format!("the lock file {} cannot be made", path.display()))?;
    let deadline = tokio::time::Instant::now() + LOCK_PATIENCE;
    let locked = loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if tokio::time::Instant::now() < deadline => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            locked => break locked,
        }
    };
    match locked {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => bail!(
            "another server has the shop in {} open; stop it, or set ONCEMART_DATA_DIR to another directory",
            database.display()
        ),
        Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("the lock file {}", path.display())),
    }
}

impl Shop {
    /// Closes the shop: takes no new requests, finishes what is in hand within the grace, lets the database go.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.stop.cancel();
        let grace = self.executor.durations.shutdown_grace;
        let finish = async {
            let served = self.server.await;
            self.executor.tasks.close();
            self.executor.tasks.wait().await;
            self.background.close();
            self.background.wait().await;
            served
        };
        match tokio::time::timeout(grace, finish).await {
            Ok(served) => served
                .context("the server ended badly")?
                .context("the server ended badly")?,
            Err(_) => tracing::warn!("some work did not end in time; its claims will run out"),
        }
        let _ = tokio::time::timeout(Duration::from_secs(2), self.executor.database.close()).await;
        Ok(())
    }
}

/// Waits until the process is told to stop.
pub(crate) async fn told_to_stop() -> std::io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}

/// Serves until the process is told to stop.
pub async fn until_stopped(settings: Settings) -> anyhow::Result<()> {
    let public_url = settings.public_url.clone();
    let shop = start(settings).await?;
    let public_url = public_url.map_or_else(|| format!("http://{}", shop.address), |url| url.to_string());
    println!("Oncemart is open at {}", public_url.trim_end_matches('/'));
    told_to_stop().await?;
    println!("Oncemart is closing: no new requests, finishing what is in hand.");
    shop.stop().await
}
