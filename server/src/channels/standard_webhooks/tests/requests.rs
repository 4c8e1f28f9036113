//! Requests over a loopback port: the provider there verifies what it is sent, and signs what it answers.

use super::*;
use crate::channels::{
    Channel as _, ChannelError, Closing, PaymentAction, PaymentState, RefundState,
    standard_webhooks::signing::verifies,
    test_support::{new_payment, new_refund, paid_fact, provider, silent_provider},
};
use axum::{body::Body, http::request::Parts, response::Response};
use serde_json::{Value, json};

/// Panics, which the client sees as a closed connection, unless the first secret signed the request.
fn assert_signed(parts: &Parts, body: &[u8]) -> Value {
    let header = |name: &str| parts.headers[name].to_str().unwrap();
    let (id, timestamp) = (header(ID_HEADER), header(TIMESTAMP_HEADER));
    assert!(verifies(&[secret(NEW)], id, timestamp, header(SIGNATURE_HEADER), body));
    assert_eq!(parts.method, "POST");
    serde_json::from_slice(body).unwrap()
}

fn answer(status: u16, body: &str) -> Response {
    let timestamp = (Clock::default().now() / 1_000).to_string();
    let mut answer = Response::new(Body::from(body.to_owned()));
    *answer.status_mut() = status.try_into().unwrap();
    // The provider still signs with the old secret.
    *answer.headers_mut() = signed(OLD, &timestamp, body.as_bytes());
    answer
}

/// A channel to a provider that gives one answer to everything that comes to a path.
async fn answered(path: &'static str, status: u16, body: Value) -> StandardWebhooks {
    let address = provider(move |parts, sent| {
        let sent = assert_signed(parts, sent);
        assert_eq!(parts.uri.path(), path);
        assert_eq!(sent["merchant"], "M1");
        answer(status, &body.to_string())
    });
    channel_with(&[NEW, OLD], &format!("{}/api", address.await))
}

fn payment(state: &str) -> Value {
    json!({
        "payment_no": "P1", "merchant": "M1", "state": state, "transaction_id": "T1", "amount_fen": 19_900,
        "currency": "CNY",
    })
}

#[tokio::test]
async fn a_payment_is_asked_for_with_everything_in_it() {
    let address = provider(|parts, body| {
        let expected = json!({
            "payment_no": "P1", "merchant": "M1", "amount_fen": 19_900, "currency": "CNY",
            "subject": "安溪铁观音 & more 🍵", "pay_before": "2025-12-31T16:15:06.999Z",
            "notify_url": "https://shop.example/callbacks/webhook",
            "return_url": "https://shop.example/orders/1?a=b&c=d",
        });
        assert_eq!(assert_signed(parts, body), expected);
        answer(
            201,
            r#"{"payment_no":"P1","state":"open","pay_url":"https://pay.example/P1"}"#,
        )
    });
    let channel = channel_with(&[NEW, OLD], &address.await);
    let action = channel.create(&new_payment()).await.unwrap();
    assert_eq!(action, PaymentAction::Redirect("https://pay.example/P1".to_owned()));
}

#[tokio::test]
async fn a_payments_states_are_read() {
    let ended = Some(Closing::Closed);
    for (state, expected, closing) in [
        ("open", PaymentState::Open, None),
        (
            "succeeded",
            PaymentState::Succeeded(paid_fact("M1")),
            Some(Closing::AlreadyPaid),
        ),
        ("closed", PaymentState::Closed, ended),
        ("failed", PaymentState::Failed, ended),
        ("unknown", PaymentState::Unknown, ended),
    ] {
        let channel = answered("/api/payments/query", 200, payment(state)).await;
        assert_eq!(channel.query("P1").await.unwrap(), expected);
        let channel = answered("/api/payments/close", 200, payment(state)).await;
        assert_eq!(channel.close("P1").await.ok(), closing, "{state}");
    }
    for (body, number) in [
        (payment("odd"), "P1"),
        (payment("closed"), "P2"),
        (json!({ "payment_no": "P1" }), "P1"),
    ] {
        let channel = answered("/api/payments/query", 200, body).await;
        let error = channel.query(number).await.unwrap_err();
        assert!(matches!(error, ChannelError::Untrusted(_)), "{error:?}");
    }
}

#[tokio::test]
async fn a_refunds_states_are_read() {
    for (state, expected) in [
        ("processing", RefundState::Processing),
        ("succeeded", RefundState::Succeeded),
        ("refused", RefundState::Refused("why".to_owned())),
        ("unknown", RefundState::Unknown),
    ] {
        let body = json!({ "refund_no": "R1", "payment_no": "P1", "state": state, "reason": "why" });
        let channel = answered("/api/refunds", 200, body.clone()).await;
        assert_eq!(channel.refund(&new_refund()).await.unwrap(), expected);
        let channel = answered("/api/refunds/query", 200, body).await;
        assert_eq!(channel.query_refund("R1", "P1").await.unwrap(), expected);
    }
}

#[tokio::test]
async fn later_is_not_no() {
    for status in [429, 500, 503] {
        let error = answered("/api/payments", status, json!({}))
            .await
            .create(&new_payment())
            .await;
        assert!(matches!(error, Err(ChannelError::Unreached(_))), "{error:?}");
    }
    let body = json!({ "code": "other_amount", "message": "was asked for with another amount" });
    let error = answered("/api/payments", 422, body)
        .await
        .create(&new_payment())
        .await
        .unwrap_err();
    assert!(
        matches!(&error, ChannelError::Refused(text) if text.contains("other_amount")),
        "{error:?}"
    );
    let (_listener, address) = silent_provider().await;
    let error = channel_with(&[NEW], &address).query("P1").await.unwrap_err();
    assert!(matches!(error, ChannelError::Unreached(_)), "{error:?}");
}

#[tokio::test]
async fn an_answer_without_a_good_signature_is_not_trusted() {
    let spoil: [fn(&mut HeaderMap); 3] = [
        HeaderMap::clear,
        |headers| *headers = signed(OLD, "1767196806", b"{}"),
        |headers| *headers = signed(RETIRED, &(Clock::default().now() / 1_000).to_string(), b"{}"),
    ];
    for spoil in spoil {
        for status in [200, 404] {
            let address = provider(move |_, _| {
                let mut answer = answer(status, "{}");
                spoil(answer.headers_mut());
                answer
            });
            let channel = channel_with(&[NEW, OLD], &address.await);
            let error = channel.query("P1").await.unwrap_err();
            assert!(matches!(error, ChannelError::Untrusted(_)), "{error:?}");
        }
    }
}
