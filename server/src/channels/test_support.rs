//! What the channels' tests share: keys, certificates, vectors, and a provider on a loopback port.

use super::{
    NewPayment, NewRefund, PaidFact,
    crypto::{PublicKey, SigningKey},
    http::Http,
};
use axum::{Router, body::to_bytes, extract::Request, http::request::Parts, response::Response};
use rcgen::{CertificateParams, KeyPair, PKCS_RSA_SHA256, RsaKeySize, SerialNumber};
use serde_json::Value;
use std::{
    future::IntoFuture as _,
    sync::{Arc, LazyLock},
    time::Duration,
};
use tokio::net::TcpListener;
use url::Url;

/// When the vectors were signed, in milliseconds.
pub(super) const NOW: i64 = 1_767_196_806_000;

/// An RSA key in all the forms that are needed.
pub(super) struct TestKey {
    pub(super) pair: KeyPair,
    pub(super) signing: SigningKey,
}

impl TestKey {
    fn generate() -> Self {
        let pair = KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048).unwrap();
        let signing = SigningKey::from_pem(&pair.serialize_pem()).unwrap();
        Self { pair, signing }
    }

    pub(super) fn again(&self) -> SigningKey {
        SigningKey::from_pem(&self.pair.serialize_pem()).unwrap()
    }

    pub(super) fn public(&self) -> PublicKey {
        PublicKey::from_pem(&self.pair.public_key_pem()).unwrap().0
    }

    /// A certificate with a serial number.
    pub(super) fn certificate(&self, serial: &[u8]) -> String {
        let mut params = CertificateParams::new(vec!["provider.example".to_owned()]).unwrap();
        params.serial_number = Some(SerialNumber::from_slice(serial));
        params.self_signed(&self.pair).unwrap().pem()
    }
}

/// The shop's key.
pub(super) static OURS: LazyLock<TestKey> = LazyLock::new(TestKey::generate);
/// The provider's key.
pub(super) static THEIRS: LazyLock<TestKey> = LazyLock::new(TestKey::generate);
/// Another key of the provider, to which it changes.
pub(super) static THEIR_NEXT: LazyLock<TestKey> = LazyLock::new(TestKey::generate);
/// Vectors with fixed keys.
pub(super) static VECTORS: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("vectors.json")).unwrap());

/// A text of the vectors.
pub(super) fn vector(pointer: &str) -> &'static str {
    VECTORS.pointer(pointer).unwrap().as_str().unwrap()
}

/// A provider on a loopback port that answers every request with `handler`. Gives its address.
pub(super) async fn provider(handler: impl Fn(&Parts, &[u8]) -> Response + Send + Sync + 'static) -> String {
    let handler = Arc::new(handler);
    let router = Router::new().fallback(move |request: Request| {
        let handler = handler.clone();
        async move {
            let (parts, body) = request.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap();
            handler(&parts, &body)
        }
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(axum::serve(listener, router).into_future());
    address
}

/// A provider that takes connections and never answers. It is there as long as the listener is held.
pub(super) async fn silent_provider() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    (listener, address)
}

/// A client that is less patient than the real one.
pub(super) fn http(address: &str) -> Http {
    Http::new(&Url::parse(address).unwrap(), Duration::from_millis(600)).unwrap()
}

pub(super) fn new_payment() -> NewPayment {
    NewPayment {
        payment_no: "P1".to_owned(),
        amount_fen: 19_900,
        subject: "安溪铁观音 & more 🍵".to_owned(),
        pay_before: NOW + 900_999,
        return_url: "https://shop.example/orders/1?a=b&c=d".to_owned(),
    }
}

pub(super) fn new_refund() -> NewRefund {
    NewRefund {
        refund_no: "R1".to_owned(),
        payment_no: "P1".to_owned(),
        transaction_id: "T1".to_owned(),
        amount_fen: 100,
        paid_fen: 19_900,
        reason: "退款".to_owned(),
    }
}

/// The fact that most tests expect.
pub(super) fn paid_fact(merchant: &str) -> PaidFact {
    PaidFact {
        payment_no: "P1".to_owned(),
        transaction_id: "T1".to_owned(),
        amount_fen: 19_900,
        currency: "CNY".to_owned(),
        merchant: merchant.to_owned(),
    }
}
