//! Requests over a loopback port: the provider there verifies what it is sent, and signs what it answers.

use super::*;
use crate::channels::{
    Channel as _, ChannelError, Closing, PaymentAction, PaymentState, RefundState,
    test_support::{new_payment, new_refund, paid_fact, provider, silent_provider},
    wechat::{Authorization, request_message, signing::decode_signature},
};
use axum::{body::Body, http::request::Parts, response::Response};

/// Panics, which the client sees as a closed connection, unless the merchant signed the request.
fn assert_signed(parts: &Parts, body: &[u8]) {
    let authorization = parts.headers["authorization"].to_str().unwrap();
    let given = Authorization::parse(authorization).unwrap();
    assert_eq!((given.mchid.as_str(), given.serial.as_str()), ("1900000001", "5F1C"));
    let path = parts.uri.path_and_query().unwrap().as_str();
    let message = request_message(parts.method.as_str(), path, &given.timestamp, &given.nonce, body);
    let signature = decode_signature(&given.signature).unwrap();
    assert!(OURS.public().verifies(&message, &signature));
    assert_eq!(parts.headers["accept"], "application/json");
    assert_eq!(parts.headers["user-agent"], "Oncemart");
}

fn answer(status: u16, body: &str) -> Response {
    let timestamp = (Clock::default().now() / 1_000).to_string();
    let mut answer = Response::new(Body::from(body.to_owned()));
    *answer.status_mut() = status.try_into().unwrap();
    *answer.headers_mut() = signed_by(&THEIRS, CERTIFICATE_SERIAL, &timestamp, body.as_bytes());
    answer
}

/// A channel to a provider that gives one answer to everything.
async fn answered(status: u16, body: &'static str) -> Wechat {
    let address = provider(move |parts, sent| {
        assert_signed(parts, sent);
        answer(status, body)
    });
    channel(&address.await)
}

#[tokio::test]
async fn a_payment_is_asked_for_with_everything_in_it() {
    let address = provider(|parts, body| {
        assert_signed(parts, body);
        assert_eq!(parts.uri.path(), "/pay/v3/pay/transactions/native");
        let body: Value = serde_json::from_slice(body).unwrap();
        let expected = json!({
            "appid": "wxtest0000000001",
            "mchid": "1900000001",
            "description": "安溪铁观音 & more 🍵",
            "out_trade_no": "P1",
            "time_expire": "2026-01-01T00:15:06+08:00",
            "notify_url": "https://shop.example/callbacks/wechat",
            "amount": { "total": 19_900, "currency": "CNY" },
        });
        assert_eq!(body, expected);
        answer(200, r#"{"code_url":"weixin://wxpay/bizpayurl?pr=x"}"#)
    });
    let channel = channel(&format!("{}/pay", address.await));
    let action = channel.create(&new_payment()).await.unwrap();
    assert_eq!(action, PaymentAction::Qr("weixin://wxpay/bizpayurl?pr=x".to_owned()));
}

#[tokio::test]
async fn a_payments_states_are_read() {
    let address = provider(|parts, body| {
        assert_signed(parts, body);
        assert_eq!(parts.method, "GET");
        assert_eq!(parts.uri.query(), Some("mchid=1900000001"));
        let number = parts.uri.path().rsplit('/').next().unwrap();
        let mut transaction = transaction();
        transaction["out_trade_no"] = json!(number);
        let state = if number == "P1" { "SUCCESS" } else { number };
        transaction["trade_state"] = json!(state);
        answer(200, &transaction.to_string())
    });
    let channel = channel(&address.await);
    let paid = PaymentState::Succeeded(paid_fact(MERCHANT));
    assert_eq!(channel.query("P1").await.unwrap(), paid);
    for (state, expected) in [
        ("NOTPAY", PaymentState::Open),
        ("USERPAYING", PaymentState::Open),
        ("CLOSED", PaymentState::Closed),
        ("REVOKED", PaymentState::Closed),
        ("PAYERROR", PaymentState::Failed),
    ] {
        assert_eq!(channel.query(state).await.unwrap(), expected, "{state}");
    }
    let unknown = answered(404, r#"{"code":"ORDER_NOT_EXIST","message":"订单不存在"}"#).await;
    assert_eq!(unknown.query("P1").await.unwrap(), PaymentState::Unknown);
}

#[tokio::test]
async fn closing_says_whether_it_was_paid() {
    for (status, body, expected) in [
        (204, "", Closing::Closed),
        (400, r#"{"code":"ORDERPAID"}"#, Closing::AlreadyPaid),
        (400, r#"{"code":"ORDER_CLOSED"}"#, Closing::Closed),
        (404, r#"{"code":"ORDER_NOT_EXIST"}"#, Closing::Closed),
    ] {
        assert_eq!(
            answered(status, body).await.close("P1").await.unwrap(),
            expected,
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_refunds_states_are_read() {
    for (body, expected) in [
        (
            r#"{"out_refund_no":"R1","status":"PROCESSING"}"#,
            RefundState::Processing,
        ),
        (r#"{"out_refund_no":"R1","status":"SUCCESS"}"#, RefundState::Succeeded),
        (
            r#"{"out_refund_no":"R1","status":"ABNORMAL"}"#,
            RefundState::Refused("ABNORMAL".to_owned()),
        ),
        (
            r#"{"out_refund_no":"R1","status":"CLOSED"}"#,
            RefundState::Refused("CLOSED".to_owned()),
        ),
    ] {
        let channel = answered(200, body).await;
        assert_eq!(channel.refund(&new_refund()).await.unwrap(), expected);
        assert_eq!(channel.query_refund("R1", "P1").await.unwrap(), expected);
        let other = channel.query_refund("R2", "P1").await;
        assert!(matches!(other, Err(ChannelError::Untrusted(_))), "{other:?}");
    }
    let unknown = answered(404, r#"{"code":"RESOURCE_NOT_EXISTS"}"#).await;
    assert_eq!(unknown.query_refund("R1", "P1").await.unwrap(), RefundState::Unknown);
}

#[tokio::test]
async fn later_is_not_no() {
    for (status, body) in [
        (500, "{}"),
        (502, "<html>"),
        (429, r#"{"code":"FREQUENCY_LIMITED"}"#),
        (400, r#"{"code":"SYSTEM_ERROR"}"#),
        (202, r#"{"code":"USERPAYING"}"#),
    ] {
        let error = answered(status, body).await.close("P1").await.unwrap_err();
        assert!(matches!(error, ChannelError::Unreached(_)), "{error:?}");
    }
    for (status, body) in [
        (400, r#"{"code":"PARAM_ERROR"}"#),
        (403, r#"{"code":"NO_AUTH"}"#),
        (401, ""),
    ] {
        let error = answered(status, body).await.refund(&new_refund()).await.unwrap_err();
        assert!(matches!(error, ChannelError::Refused(_)), "{error:?}");
    }
}

#[tokio::test]
async fn silence_and_absence_are_unreached() {
    let (listener, address) = silent_provider().await;
    let error = channel(&address).query("P1").await.unwrap_err();
    assert!(matches!(error, ChannelError::Unreached(_)), "{error:?}");
    drop(listener);
    let error = channel(&address).query("P1").await.unwrap_err();
    assert!(matches!(error, ChannelError::Unreached(_)), "{error:?}");
}

#[tokio::test]
async fn an_answer_without_a_good_signature_is_not_trusted() {
    let spoil: [fn(&mut Response); 4] = [
        |answer| answer.headers_mut().clear(),
        |answer| *answer.body_mut() = Body::from("{}"),
        |answer| {
            let old = signed_by(&THEIRS, CERTIFICATE_SERIAL, "1767196806", b"");
            *answer.headers_mut() = old;
        },
        |answer| {
            *answer.status_mut() = 302.try_into().unwrap();
            *answer.headers_mut() = headers_of(&[("location", "/elsewhere")]);
        },
    ];
    for spoil in spoil {
        for status in [204, 404] {
            let address = provider(move |_, _| {
                let mut answer = answer(status, "");
                spoil(&mut answer);
                answer
            });
            let channel = channel(&address.await);
            let error = channel.close("P1").await;
            // A body cannot be sent with 204.
            if status == 404 || error.is_err() {
                assert!(matches!(error, Err(ChannelError::Untrusted(_))), "{error:?}");
            }
        }
    }
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off() {
    let address = provider(|_, _| answer(200, &" ".repeat(2 << 20)));
    let error = channel(&address.await).query("P1").await.unwrap_err();
    assert!(matches!(error, ChannelError::Untrusted(_)), "{error:?}");
}

#[tokio::test]
async fn a_public_key_that_comes_first_is_asked_for() {
    let mut account = account();
    account.platform_keys = PlatformKeys::default();
    account.platform_keys.add(PUBLIC_KEY_ID, THEIRS.public()).unwrap();
    let address = provider(|parts, _| {
        let asked = parts.headers[SERIAL_HEADER].to_str().unwrap();
        let timestamp = (Clock::default().now() / 1_000).to_string();
        let mut answer = answer(204, "");
        *answer.headers_mut() = signed_by(&THEIRS, asked, &timestamp, b"");
        answer
    })
    .await;
    let channel = Wechat::new(
        account,
        address.clone(),
        String::new(),
        http(&address),
        Clock::default(),
    );
    assert_eq!(channel.close("P1").await.unwrap(), Closing::Closed);
}
