//! Tests of the channel: events by the byte, requests over a loopback port.

mod events;
mod requests;

use super::{
    super::test_support::http,
    Account, StandardWebhooks,
    signing::{ID_HEADER, SIGNATURE_HEADER, Secret, TIMESTAMP_HEADER, signature},
};
use crate::clock::Clock;
use axum::http::{HeaderMap, HeaderValue};

const NEW: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OLD: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const RETIRED: &str = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn secret(text: &str) -> Secret {
    Secret::parse(text).unwrap()
}

fn channel_with(secrets: &[&str], address: &str) -> StandardWebhooks {
    let account = Account {
        merchant: "M1".to_owned(),
        secrets: secrets.iter().map(|text| secret(text)).collect(),
    };
    let notify_url = "https://shop.example/callbacks/webhook".to_owned();
    StandardWebhooks::new(account, address.to_owned(), notify_url, http(address), Clock::default())
}

fn headers_of(id: &str, timestamp: &str, signatures: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        (ID_HEADER, id),
        (TIMESTAMP_HEADER, timestamp),
        (SIGNATURE_HEADER, signatures),
    ] {
        headers.insert(name, HeaderValue::from_str(value).unwrap());
    }
    headers
}

fn signed(text: &str, timestamp: &str, body: &[u8]) -> HeaderMap {
    headers_of("msg_1", timestamp, &signature(&secret(text), "msg_1", timestamp, body))
}
