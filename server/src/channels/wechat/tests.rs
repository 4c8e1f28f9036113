//! Tests of the channel: callbacks by the byte, requests over a loopback port.

mod callbacks;
mod requests;

use super::{
    super::{
        crypto::seal_aes_256_gcm,
        test_support::{OURS, THEIR_NEXT, THEIRS, TestKey, http},
    },
    Account, ApiV3Key, Wechat,
    platform_keys::PlatformKeys,
    signing::{NONCE_HEADER, SERIAL_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, sign, signed_message},
};
use crate::{channels::crypto::PublicKey, clock::Clock};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

const MERCHANT: &str = "1900000001/wxtest0000000001";
const API_V3_KEY: &str = "0123456789abcdefghijklmnopqrstuv";
/// The certificate's serial, which begins with a zero.
const CERTIFICATE: &[u8] = &[0x0A, 0xBC, 0xDE, 0xF0, 0x12];
const CERTIFICATE_SERIAL: &str = "0ABCDEF012";
const PUBLIC_KEY_ID: &str = "PUB_KEY_ID_0119000000012026";

/// An account in the middle of the move from a certificate to a public key.
fn account() -> Account {
    let (certified, serial) = PublicKey::from_pem(&THEIRS.certificate(CERTIFICATE)).unwrap();
    let mut platform_keys = PlatformKeys::default();
    platform_keys.add(&serial.unwrap(), certified).unwrap();
    platform_keys.add(PUBLIC_KEY_ID, THEIR_NEXT.public()).unwrap();
    Account {
        mchid: "1900000001".to_owned(),
        appid: "wxtest0000000001".to_owned(),
        serial: "5F1C".to_owned(),
        key: OURS.again(),
        api_v3_key: ApiV3Key::parse(API_V3_KEY).unwrap(),
        platform_keys,
    }
}

fn channel(address: &str) -> Wechat {
    let notify_url = "https://shop.example/callbacks/wechat".to_owned();
    Wechat::new(
        account(),
        address.to_owned(),
        notify_url,
        http(address),
        Clock::default(),
    )
}

/// Headers of a message that WeChat Pay signs.
fn signed_by(key: &TestKey, serial: &str, timestamp: &str, body: &[u8]) -> HeaderMap {
    let signature = sign(&key.signing, &signed_message(timestamp, "nonce", body)).unwrap();
    headers_of(&[
        (TIMESTAMP_HEADER, timestamp),
        (NONCE_HEADER, "nonce"),
        (SERIAL_HEADER, serial),
        (SIGNATURE_HEADER, &signature),
    ])
}

fn headers_of(headers: &[(&str, &str)]) -> HeaderMap {
    let entry = |(name, value): &(&str, &str)| {
        (
            HeaderName::from_bytes(name.as_bytes()).unwrap(),
            HeaderValue::from_str(value).unwrap(),
        )
    };
    headers.iter().map(entry).collect()
}

/// What a callback seals.
fn resource(plain: &[u8]) -> Value {
    let key = ApiV3Key::parse(API_V3_KEY).unwrap();
    let sealed = seal_aes_256_gcm(key.bytes(), b"abcdefghijkl", b"transaction", plain).unwrap();
    json!({
        "algorithm": "AEAD_AES_256_GCM",
        "ciphertext": STANDARD.encode(sealed),
        "associated_data": "transaction",
        "nonce": "abcdefghijkl",
        "original_type": "transaction",
    })
}

fn transaction() -> Value {
    json!({
        "mchid": "1900000001",
        "appid": "wxtest0000000001",
        "out_trade_no": "P1",
        "transaction_id": "T1",
        "trade_state": "SUCCESS",
        "attach": "\u{1b}\u{2028}\"\\ 🎉 \u{0}",
        "amount": { "total": 19_900, "payer_total": 9_900, "currency": "CNY" },
    })
}

/// A callback's body.
fn event(kind: &str, plain: &Value) -> Vec<u8> {
    json!({ "id": "N1", "event_type": kind, "resource": resource(plain.to_string().as_bytes()) })
        .to_string()
        .into_bytes()
}
