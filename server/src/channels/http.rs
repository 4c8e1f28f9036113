//! How the channels reach their providers: one attempt, bounded in time and size, without redirects and environment proxies.
//!
//! Asking again is the caller's business, because only the caller knows when.

use super::ChannelError;
use axum::http::HeaderMap;
use reqwest::{Client, RequestBuilder, header, redirect::Policy};
use serde::Deserialize;
use std::{error::Error as _, time::Duration};
use url::Url;

/// Longest answer that is read, in bytes.
pub const MAX_ANSWER_BYTES: usize = 1024 * 1024;

/// The client of one channel.
#[derive(Clone, Debug)]
pub struct Http {
    client: Client,
}

/// What came back, not yet verified.
#[derive(Debug)]
pub struct Answer {
    /// HTTP status: neither 429 nor above 499.
    pub status: u16,
    /// Headers.
    pub headers: HeaderMap,
    /// Body as it travelled.
    pub body: Vec<u8>,
}

impl Http {
    /// A client whose whole call, from the connection to the last byte, takes at most `timeout`.
    pub fn new(base: &Url, timeout: Duration) -> Result<Self, String> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, header::HeaderValue::from_static("application/json"));
        let mut client = Client::builder()
            // WeChat Pay refuses requests without one.
            .user_agent("Oncemart")
            .default_headers(headers)
            .timeout(timeout)
            .connect_timeout(timeout / 2)
            .redirect(Policy::none())
            .no_proxy();
        if base.scheme() == "http" {
            // Without this, a machine without root certificates could not even talk to its own sandbox.
            client = client.tls_certs_only([]);
        }
        let client = client
            .build()
            .map_err(|error| format!("no secure connections can be made here: {}", described(&error)))?;
        Ok(Self { client })
    }

    /// Begins a POST.
    pub fn post(&self, url: Url) -> RequestBuilder {
        self.client.post(url)
    }

    /// Begins a GET.
    pub fn get(&self, url: Url) -> RequestBuilder {
        self.client.get(url)
    }

    /// Sends once. A status of 429 or above 499 says "later", whoever says it, and needs no signature to be believed.
    pub async fn send(&self, request: RequestBuilder) -> Result<Answer, ChannelError> {
        let unreached = |error: reqwest::Error| ChannelError::Unreached(described(&error.without_url()));
        let mut response = request.send().await.map_err(unreached)?;
        let status = response.status().as_u16();
        if status == 429 || status >= 500 {
            return Err(ChannelError::Unreached(format!("HTTP {status}")));
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(unreached)? {
            if body.len() + chunk.len() > MAX_ANSWER_BYTES {
                return Err(ChannelError::Untrusted("the answer is longer than 1 MiB".to_owned()));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Answer {
            status,
            headers: std::mem::take(response.headers_mut()),
            body,
        })
    }
}

/// Reads a verified answer.
pub(super) fn parsed<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, ChannelError> {
    serde_json::from_slice(body).map_err(|error| ChannelError::Untrusted(format!("the answer is unreadable: {error}")))
}

/// Refuses an answer about another number: a signature says that an answer is genuine, not that it belongs to this question.
pub(super) fn same_number(answered: &str, asked: &str) -> Result<(), ChannelError> {
    if answered == asked {
        Ok(())
    } else {
        Err(ChannelError::Untrusted("the answer is about another number".to_owned()))
    }
}

/// The error with its deepest cause, which is the one that helps.
fn described(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    while let Some(deeper) = cause.and_then(|cause| cause.source()) {
        cause = Some(deeper);
    }
    cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}
