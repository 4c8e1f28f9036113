//! Settings: flags, then the environment, then a file of `NAME=value` lines. A wrong value stops the start with a sentence that
//! says what to change.

mod options;

pub use options::Options;

use crate::{
    channels::settings::ChannelOptions, clock::Clock, db::Dialect, durations::Durations, faults::Faults,
    signing::SigningKeys,
};
use axum::http::Uri;
use std::{
    fmt, fs,
    io::Write as _,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

/// A client of the API.
#[derive(Clone)]
pub struct ApiClient {
    /// Its name, which owns its orders.
    pub name: String,
    /// Its bearer token.
    pub token: String,
}

impl fmt::Debug for ApiClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ApiClient({}, token not shown)", self.name)
    }
}

/// The settings, checked.
#[derive(Clone)]
pub struct Settings {
    /// Address to listen on.
    pub addr: SocketAddr,
    /// Address under which buyers reach the shop, if it is another than the one listened on.
    pub public_url: Option<Uri>,
    /// The database.
    pub store: StoreSettings,
    /// Redis URL, if there is a gate.
    pub redis_url: Option<String>,
    /// Keys that sign.
    pub signing_keys: SigningKeys,
    /// Clients of the API.
    pub api_clients: Vec<ApiClient>,
    /// The payment channels as given; none in sandbox mode.
    pub channels: ChannelOptions,
    /// Whether the sandbox gateway is built in, and where it keeps its things.
    pub sandbox: Option<PathBuf>,
    /// What the gateway's gaps are multiplied by.
    pub sandbox_gap_scale: f64,
    /// Directory of the built site.
    pub site_root: PathBuf,
    /// Where to stumble.
    pub faults: Faults,
}

/// What is needed to reach the database: all that the commands beside `serve` need.
#[derive(Clone)]
pub struct StoreSettings {
    /// Database URL.
    pub database_url: String,
    /// Which database that is.
    pub dialect: Dialect,
    /// The clock.
    pub clock: Clock,
    /// The durations.
    pub durations: Durations,
}

impl fmt::Debug for StoreSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL may hold a password.
        write!(formatter, "StoreSettings({:?}, URL not shown)", self.dialect)
    }
}

impl StoreSettings {
    /// The SQLite file; none for PostgreSQL.
    pub fn sqlite_file(&self) -> Option<&Path> {
        let path = self.database_url.strip_prefix("sqlite:")?;
        let path = path.strip_prefix("//").unwrap_or(path);
        Some(Path::new(path.split_once('?').map_or(path, |(path, _)| path)))
    }
}

impl TryFrom<&Options> for StoreSettings {
    type Error = String;

    fn try_from(options: &Options) -> Result<Self, String> {
        let durations = Durations {
            payment_deadline: Duration::from_secs(options.payment_deadline_seconds),
            close_delay: Duration::from_secs(options.close_delay_seconds),
            ..Durations::default()
        };
        durations.check()?;
        let database_url = database_url(options)?;
        if database_url.contains(":memory:") || database_url.contains("mode=memory") {
            return Err("DATABASE_URL: a database in memory would forget every order; name a file".to_owned());
        }
        let dialect = Dialect::of_url(&database_url).ok_or(
            "DATABASE_URL: begin it with sqlite: or postgres://, or leave it out for the SQLite file in the data directory",
        )?;
        if options.clock_offset_seconds != 0 && !cfg!(debug_assertions) {
            return Err(
                "ONCEMART_CLOCK_OFFSET_SECONDS: this is a release build, whose clock is the system's; unset it"
                    .to_owned(),
            );
        }
        let clock = Clock::with_offset_seconds(options.clock_offset_seconds);
        Ok(Self {
            database_url,
            dialect,
            clock,
            durations,
        })
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Settings")
            .field("addr", &self.addr)
            .field("public_url", &self.public_url)
            .field("store", &self.store)
            .field("redis", &self.redis_url.is_some())
            .field("api_clients", &self.api_clients)
            .field("site_root", &self.site_root)
            .finish_non_exhaustive()
    }
}

impl Settings {
    /// Whether buyers come by https.
    pub fn is_https(&self) -> bool {
        self.public_url
            .as_ref()
            .is_some_and(|url| url.scheme_str() == Some("https"))
    }

    /// Host and port of the public URL.
    pub fn public_host(&self) -> Option<&str> {
        self.public_url
            .as_ref()?
            .authority()
            .map(|authority| authority.as_str())
    }
}

impl TryFrom<Options> for Settings {
    type Error = String;

    fn try_from(options: Options) -> Result<Self, String> {
        let store = StoreSettings::try_from(&options)?;
        let sandbox = options.sandbox.unwrap_or(store.dialect == Dialect::Sqlite);
        if let Some(url) = &options.redis_url {
            redis::Client::open(url.as_str())
                .map_err(|error| format!("REDIS_URL: {error}; write it as redis://HOST:PORT"))?;
        }
        if sandbox && options.channels.is_any_given() {
            return Err(
                "ONCEMART_SANDBOX: payment channels are configured, and the sandbox gateway's keys must never stand beside real \
                 ones; set it to false, or remove the channels' settings"
                    .to_owned(),
            );
        }
        if sandbox {
            make_data_dir(&options.data_dir)?;
        }
        Ok(Self {
            addr: options.addr,
            sandbox: sandbox.then(|| options.data_dir.clone()),
            sandbox_gap_scale: options.sandbox_gap_scale,
            channels: options.channels.clone(),
            public_url: options.public_url.as_deref().map(public_url).transpose()?,
            signing_keys: signing_keys(&options, sandbox)?,
            api_clients: api_clients(options.api_clients.as_deref().unwrap_or(""), sandbox)?,
            site_root: checked_site_root(options.site_root)?,
            faults: Faults::parse(&options.fault)?,
            store,
            redis_url: options.redis_url,
        })
    }
}

fn database_url(options: &Options) -> Result<String, String> {
    if let Some(url) = &options.database_url {
        return Ok(url.clone());
    }
    make_data_dir(&options.data_dir)?;
    Ok(format!(
        "sqlite:{}?mode=rwc",
        options.data_dir.join("oncemart.sqlite").display()
    ))
}

fn make_data_dir(directory: &Path) -> Result<(), String> {
    fs::create_dir_all(directory).map_err(|error| {
        format!(
            "ONCEMART_DATA_DIR: the directory {} cannot be made: {error}",
            directory.display()
        )
    })
}

fn public_url(text: &str) -> Result<Uri, String> {
    let url: Uri = text
        .parse()
        .map_err(|_| format!("ONCEMART_PUBLIC_URL: '{text}' is not a URL"))?;
    let plain = matches!(url.scheme_str(), Some("http" | "https"))
        && url.authority().is_some()
        && matches!(url.path(), "" | "/");
    if plain {
        Ok(url)
    } else {
        Err(format!(
            "ONCEMART_PUBLIC_URL: write '{text}' as http://HOST or https://HOST, without a path"
        ))
    }
}

/// Keys given, or in sandbox mode the keys that the data directory keeps.
fn signing_keys(options: &Options, sandbox: bool) -> Result<SigningKeys, String> {
    let named = |error| format!("ONCEMART_SIGNING_KEYS: {error}");
    match &options.signing_keys {
        Some(text) => SigningKeys::parse(text).map_err(named),
        None if sandbox => {
            make_data_dir(&options.data_dir)?;
            let file = options.data_dir.join("signing-keys");
            let text = kept_keys(&file).map_err(|error| format!("the signing keys in {}: {error}", file.display()))?;
            SigningKeys::parse(&text).map_err(named)
        }
        None => Err(
            "ONCEMART_SIGNING_KEYS: outside sandbox mode there is no default; give the same keys to every server"
                .to_owned(),
        ),
    }
}

fn kept_keys(file: &Path) -> std::io::Result<String> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Ok(mut created) => {
            created.write_all(SigningKeys::generate().as_bytes())?;
            created.sync_all()?;
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    fs::read_to_string(file)
}

fn api_clients(text: &str, sandbox: bool) -> Result<Vec<ApiClient>, String> {
    let mut clients = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, token) = part.split_once('=').unwrap_or((part, ""));
        let plain = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if !plain(name) || name.contains(':') || !plain(token) {
            return Err(
                "ONCEMART_API_CLIENTS: write each client as NAME=BEARER-TOKEN, in visible ASCII without spaces"
                    .to_owned(),
            );
        }
        clients.push(ApiClient {
            name: name.to_owned(),
            token: token.to_owned(),
        });
    }
    let mut tokens: Vec<_> = clients.iter().map(|client| &client.token).collect();
    tokens.sort_unstable();
    tokens.dedup();
    if tokens.len() < clients.len() {
        return Err("ONCEMART_API_CLIENTS: two clients have the same token; whose orders would they be?".to_owned());
    }
    if sandbox {
        clients.push(ApiClient {
            name: "demo".to_owned(),
            token: "demo".to_owned(),
        });
    }
    Ok(clients)
}

/// A site root that is given must be there.
pub(crate) fn checked_site_root(given: Option<PathBuf>) -> Result<PathBuf, String> {
    match given {
        Some(directory) if directory.is_dir() => Ok(directory),
        Some(directory) => Err(format!(
            "ONCEMART_SITE_ROOT: there is no directory {}; `cargo xtask build` makes target/site",
            directory.display()
        )),
        None => Ok(site_root()),
    }
}

/// The site beside the program if it is there (as a package has it), else where the build puts it.
fn site_root() -> PathBuf {
    let beside = std::env::current_exe()
        .ok()
        .and_then(|program| Some(program.parent()?.join("site")));
    beside
        .filter(|directory| directory.is_dir())
        .unwrap_or_else(|| PathBuf::from("target/site"))
}

#[cfg(test)]
mod tests;
