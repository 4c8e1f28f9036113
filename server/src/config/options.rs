//! The settings as given: one field for each flag and environment variable, with the words of `--help`.

use crate::channels::settings::ChannelOptions;
use clap::Args;
use std::{net::SocketAddr, path::PathBuf};

/// The settings as given.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Address and port to listen on
    #[arg(
        long,
        global = true,
        env = "ONCEMART_ADDR",
        default_value = "127.0.0.1:3000",
        value_name = "ADDRESS:PORT"
    )]
    pub addr: SocketAddr,
    /// Address under which buyers reach the shop; `https` makes the cookies secure
    #[arg(long, global = true, env = "ONCEMART_PUBLIC_URL", value_name = "URL", help = PUBLIC_URL_HELP)]
    pub public_url: Option<String>,
    /// Directory of everything that the shop keeps in files: the SQLite database and generated keys
    #[arg(
        long,
        global = true,
        env = "ONCEMART_DATA_DIR",
        default_value = "data",
        value_name = "DIRECTORY"
    )]
    pub data_dir: PathBuf,
    /// Database, as `sqlite:FILE` or `postgres://USER:PASSWORD@HOST/NAME` [default: oncemart.sqlite in the data directory]
    #[arg(
        long,
        global = true,
        env = "DATABASE_URL",
        value_name = "URL",
        hide_env_values = true
    )]
    pub database_url: Option<String>,
    /// Redis, as `redis://HOST:PORT`; without it every request goes straight to the database
    #[arg(long, global = true, env = "REDIS_URL", value_name = "URL", hide_env_values = true)]
    pub redis_url: Option<String>,
    /// Sandbox mode: the built-in payment gateway, a demo API client and generated keys [default: on with SQLite, off with
    /// PostgreSQL]
    #[arg(long, global = true, env = "ONCEMART_SANDBOX", value_name = "true|false")]
    pub sandbox: Option<bool>,
    /// What the gaps between the sandbox gateway's notifications are multiplied by; 1 is a provider's own pace
    #[arg(
        long,
        global = true,
        env = "ONCEMART_SANDBOX_GAP_SCALE",
        default_value_t = 1.0,
        value_name = "FACTOR"
    )]
    pub sandbox_gap_scale: f64,
    /// Keys that sign sessions and submit tokens: URL-safe base64 of 32 bytes or more, separated by commas; the first signs, all
    /// verify [default in sandbox mode: generated into the data directory]
    #[arg(
        long,
        global = true,
        env = "ONCEMART_SIGNING_KEYS",
        value_name = "KEYS",
        hide_env_values = true
    )]
    pub signing_keys: Option<String>,
    /// Clients of the API as NAME=BEARER-TOKEN, separated by commas; sandbox mode adds demo=demo
    #[arg(
        long,
        global = true,
        env = "ONCEMART_API_CLIENTS",
        value_name = "CLIENTS",
        hide_env_values = true
    )]
    pub api_clients: Option<String>,
    /// Seconds to pay an order; the channels get it as their own expiry
    #[arg(
        long,
        global = true,
        env = "ONCEMART_PAYMENT_DEADLINE_SECONDS",
        default_value_t = 900,
        value_name = "SECONDS"
    )]
    pub payment_deadline_seconds: u64,
    /// Seconds after the deadline at which an unpaid order is closed here, after its channels were asked
    #[arg(
        long,
        global = true,
        env = "ONCEMART_CLOSE_DELAY_SECONDS",
        default_value_t = 60,
        value_name = "SECONDS"
    )]
    pub close_delay_seconds: u64,
    /// The payment channels
    #[command(flatten)]
    pub channels: ChannelOptions,
    /// Directory of the built site [default: `site` beside the program, else target/site]
    #[arg(long, global = true, env = "ONCEMART_SITE_ROOT", value_name = "DIRECTORY")]
    pub site_root: Option<PathBuf>,
    /// Seconds that the clock runs ahead; only in test builds
    #[arg(
        long,
        global = true,
        env = "ONCEMART_CLOCK_OFFSET_SECONDS",
        default_value_t = 0,
        hide = true,
        allow_hyphen_values = true
    )]
    pub clock_offset_seconds: i64,
    /// Points at which to stumble; only in test builds
    #[arg(long, global = true, env = "ONCEMART_FAULT", default_value = "", hide = true)]
    pub fault: String,
}

const PUBLIC_URL_HELP: &str = "Address under which buyers reach the shop; https makes the cookies secure [default: http:// and the listening address]";
