//! The sandbox gateway: the built-in payment provider that speaks the server side of the three protocols over real HTTP, signs,
//! retries and misbehaves like the real ones.
//!
//! It stands beside the shop, never inside it: it shares the protocols' rules with [`crate::channels`] and nothing else, keeps its
//! own keys and its own database, and reaches the shop only at the addresses that the shop gave it over HTTP. Routes below its base
//! address: `/wechat/v3/…`, `/alipay/gateway.do`, `/webhook/…` for the shop, `/pay/{token}` for the buyer, `/` for whoever looks on.

mod alipay;
pub mod behaviour;
pub mod books;
pub mod cli;
pub mod files;
pub mod keys;
pub mod notices;
mod pages;
pub mod refunds;
pub mod schedule;
mod sender;
pub mod sign;
pub mod store;
mod webhook;
mod wechat;

use crate::{
    channels::window,
    clock::{Clock, Milliseconds},
};
use anyhow::Context as _;
use axum::{
    Router,
    body::Body,
    extract::DefaultBodyLimit,
    http::{Response, StatusCode},
    routing::{any, get, post},
};
use keys::SandboxKeys;
use leptos::config::LeptosOptions;
use sign::SignedRequest;
use std::{
    path::Path,
    sync::{Arc, OnceLock},
    time::Duration,
};
use store::{Store, Traffic};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How a gateway lives.
#[derive(Clone, Debug)]
pub struct GatewaySettings {
    /// The clock of all that it dates and signs.
    pub clock: Clock,
    /// What the gaps of the notifications' schedules are multiplied by; 1 is a provider's own pace.
    pub gap_scale: f64,
    /// Where its pages find their stylesheet.
    pub leptos: LeptosOptions,
}

/// Where the gateway is reached, without a slash at the end.
#[derive(Clone, Debug)]
pub struct Addresses {
    /// By the shop.
    pub server: String,
    /// By the buyer's browser.
    pub browser: String,
}

/// A gateway. Clones are the same gateway.
#[derive(Clone, Debug)]
pub struct Gateway {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    keys: SandboxKeys,
    store: Store,
    settings: GatewaySettings,
    addresses: OnceLock<Addresses>,
    /// Rings when something may be due earlier than the sender thinks.
    wake: Notify,
    client: reqwest::Client,
}

/// Longest request that the gateway reads.
const BODY_LIMIT: usize = 256 * 1024;

/// How long a refund is on its way, before scaling.
const REFUND_TAKES: Duration = Duration::from_secs(2);

impl Gateway {
    /// Opens the gateway of a data directory, making its keys and its database if they are not there.
    pub async fn open(data_dir: &Path, settings: GatewaySettings) -> anyhow::Result<Self> {
        let scale = settings.gap_scale;
        anyhow::ensure!(
            scale.is_finite() && (0.0..=1_000.0).contains(&scale),
            "ONCEMART_SANDBOX_GAP_SCALE: {scale} is not from 0 to 1000"
        );
        // Making keys takes a good second of computing, which must not hold up whatever else runs.
        let directory = data_dir.to_owned();
        let keys = tokio::task::spawn_blocking(move || SandboxKeys::open(&directory)).await??;
        let store = Store::open(data_dir, settings.clock).await?;
        let client = sender::client().context("the sandbox gateway cannot send")?;
        let inner = Inner {
            keys,
            store,
            settings,
            addresses: OnceLock::new(),
            wake: Notify::new(),
            client,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Says where the gateway is reached. Once, before it serves; a second time changes nothing.
    pub fn set_addresses(&self, addresses: Addresses) {
        let _ = self.inner.addresses.set(addresses);
    }

    /// Its keys.
    pub fn keys(&self) -> &SandboxKeys {
        &self.inner.keys
    }

    /// Its books.
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// Its routes, to be nested at a path of the shop or served alone.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/", get(pages::overview))
            .route("/pay/{token}", get(pages::cashier).post(pages::act))
            .route("/notices/{notice_id}/send-now", post(pages::send_now))
            .route("/language", post(crate::http::language::choose))
            .route("/alipay/gateway.do", get(alipay::page).post(alipay::call))
            .route("/wechat/{*path}", any(wechat::call))
            .route("/webhook/{*path}", post(webhook::call))
            .fallback(pages::missing)
            .layer(DefaultBodyLimit::max(BODY_LIMIT))
            .with_state(self.clone())
    }

    /// Sends what is due until it is told to stop, then finishes what is being sent.
    pub async fn run(&self, stop: CancellationToken) {
        sender::run(self, stop).await;
    }

    /// Lets the database go.
    pub async fn close(&self) {
        self.inner.store.close().await;
    }

    fn now(&self) -> Milliseconds {
        self.inner.settings.clock.now()
    }

    fn gap_scale(&self) -> f64 {
        self.inner.settings.gap_scale
    }

    fn refund_takes(&self) -> Duration {
        REFUND_TAKES.mul_f64(self.gap_scale())
    }

    /// The cashier page of a payment, as the buyer's browser reaches it.
    fn cashier_url(&self, token: &str) -> String {
        let base = self.inner.addresses.get().map_or("", |addresses| &addresses.browser);
        format!("{base}/pay/{token}")
    }

    /// Path of a page below the gateway's base, for links that stay on the host by which the reader came.
    fn base_path(&self) -> String {
        let browser = self.inner.addresses.get().map(|addresses| addresses.browser.as_str());
        let path = browser.and_then(|browser| url::Url::parse(browser).ok());
        path.map_or_else(String::new, |url| url.path().trim_end_matches('/').to_owned())
    }

    /// Path of the overview: nested, a router's first page has no slash behind it.
    fn overview_path(&self) -> String {
        let base = self.base_path();
        if base.is_empty() { "/".to_owned() } else { base }
    }

    /// Rings the sender.
    fn wake(&self) {
        self.inner.wake.notify_one();
    }

    /// Keeps what came in and what was answered.
    async fn keep_received(&self, channel: &str, what: String, request: &[u8], answer: &Answer) {
        let line = Traffic {
            at: self.now(),
            channel: channel.to_owned(),
            direction: "received",
            what,
            status: answer.status,
            request: String::from_utf8_lossy(request).into_owned(),
            answer: String::from_utf8_lossy(&answer.body).into_owned(),
        };
        self.inner.store.keep(&line).await;
    }
}

/// An answer to the shop before it is signed.
#[derive(Clone, Debug)]
struct Answer {
    status: u16,
    body: Vec<u8>,
}

impl Answer {
    fn json(status: u16, body: &serde_json::Value) -> Self {
        Self {
            status,
            body: body.to_string().into_bytes(),
        }
    }

    fn error(status: u16, code: &str, message: &str) -> Self {
        Self::json(status, &serde_json::json!({ "code": code, "message": message }))
    }

    fn empty(status: u16) -> Self {
        Self {
            status,
            body: Vec::new(),
        }
    }

    /// What a provider says when its own books are away: try again.
    fn broken(error: &sqlx::Error) -> Self {
        tracing::error!(%error, "the sandbox gateway's database");
        Self::error(500, "SYSTEM_ERROR", "系统异常，请稍后重试")
    }

    /// As HTTP, with the headers of its signature.
    fn signed(self, signature: Result<SignedRequest, String>) -> Response<Body> {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        match signature {
            Ok(signed) => response.headers_mut().extend(signed.header_map()),
            Err(error) => tracing::error!(error, "the sandbox gateway could not sign an answer"),
        }
        response
    }
}

/// Whether an address is one that the gateway leads to: http or https, so that no page carries another scheme.
fn is_web_address(address: &str) -> bool {
    url::Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// Whether a time of signing is near now.
fn is_recent(unix_seconds: &str, now: Milliseconds) -> bool {
    window::seconds(unix_seconds).is_some_and(|seconds| window::is_near(seconds, now))
}

#[cfg(test)]
mod tests;
