//! Requests over a loopback port: the gateway there verifies what it is sent, and signs what it answers.

use super::*;
use crate::channels::{
    Channel as _, ChannelError, Closing, PaymentAction, PaymentState, RefundState,
    test_support::{new_payment, new_refund, paid_fact, provider, silent_provider},
};
use axum::{body::Body, response::Response};
use serde_json::{Value, json};

/// A field of a request that our application signed.
fn field(pairs: &[Pair], name: &str) -> String {
    let (_, value) = pairs.iter().find(|(other, _)| other == name.as_bytes()).unwrap();
    String::from_utf8(value.clone()).unwrap()
}

/// Panics, which the client sees as a closed connection, unless our application signed the request.
fn assert_signed(form: &[u8]) -> Vec<Pair> {
    let pairs = pairs(form).unwrap();
    let message = signed_bytes(&pairs, LeftOut::OfRequest);
    assert!(verifies(&OURS.public(), &message, field(&pairs, "sign").as_bytes()));
    for (name, value) in [
        ("app_id", "2021000000000001"),
        ("sign_type", "RSA2"),
        ("charset", "utf-8"),
        ("version", "1.0"),
    ] {
        assert_eq!(field(&pairs, name), value);
    }
    assert_eq!(field(&pairs, "timestamp").len(), "2026-01-01 00:00:00".len());
    pairs
}

/// An answer as Alipay writes it: the node's text is signed, odd as it may be.
fn answer(method: &str, node: &str) -> Response {
    let name = method.replace('.', "_");
    let signature = sign(&THEIRS.signing, node.as_bytes()).unwrap();
    Response::new(Body::from(format!(
        "{{\"{name}_response\": {node} ,\"sign\":\"{signature}\"}}\n"
    )))
}

/// A channel to a gateway that gives one answer to everything.
async fn answered(node: &'static str) -> Alipay {
    let address = provider(move |parts, body| {
        assert_eq!(parts.uri.query(), Some("charset=utf-8"));
        let pairs = assert_signed(body);
        answer(&field(&pairs, "method"), node)
    });
    channel(&address.await)
}

#[tokio::test]
async fn the_page_to_pay_has_a_signed_address() {
    let action = channel("http://127.0.0.1:1").create(&new_payment()).await.unwrap();
    let PaymentAction::Redirect(url) = action else {
        panic!("{action:?}");
    };
    let query = url.strip_prefix("https://pay.example/gateway.do?").unwrap();
    let pairs = assert_signed(query.as_bytes());
    assert_eq!(field(&pairs, "method"), "alipay.trade.page.pay");
    assert_eq!(field(&pairs, "notify_url"), "https://shop.example/callbacks/alipay");
    assert_eq!(field(&pairs, "return_url"), "https://shop.example/orders/1?a=b&c=d");
    let content: Value = serde_json::from_str(&field(&pairs, "biz_content")).unwrap();
    let expected = json!({
        "out_trade_no": "P1",
        "total_amount": "199.00",
        "subject": "安溪铁观音 & more 🍵",
        "product_code": "FAST_INSTANT_TRADE_PAY",
        "time_expire": "2026-01-01 00:15:06",
    });
    assert_eq!(content, expected);
}

#[tokio::test]
async fn a_payments_states_are_read_from_the_text_as_it_came() {
    let paid = answered(
        "{ \"msg\":\"\\u6210\\u529f\\/成功\", \"code\":\"10000\",\n\"trade_no\":\"T1\",\"out_trade_no\":\"P1\", \
         \"trade_status\":\"TRADE_SUCCESS\",\"total_amount\":\"199.00\", \"x\":1.0}",
    );
    let fact = PaymentState::Succeeded(paid_fact(MERCHANT));
    assert_eq!(paid.await.query("P1").await.unwrap(), fact);
    for (node, expected) in [
        (
            r#"{"code":"10000","out_trade_no":"P1","trade_status":"WAIT_BUYER_PAY"}"#,
            PaymentState::Open,
        ),
        (
            r#"{"code":"10000","out_trade_no":"P1","trade_status":"TRADE_CLOSED"}"#,
            PaymentState::Closed,
        ),
        (
            r#"{"code":"10000","out_trade_no":"P1","trade_status":"TRADE_CLOSED","trade_no":"T1","total_amount":"199.00","send_pay_date":"2026-01-01 00:00:00"}"#,
            fact,
        ),
        (
            r#"{"code":"40004","sub_code":"ACQ.TRADE_NOT_EXIST"}"#,
            PaymentState::Unknown,
        ),
    ] {
        assert_eq!(answered(node).await.query("P1").await.unwrap(), expected, "{node}");
    }
}

#[tokio::test]
async fn closing_says_whether_it_was_paid() {
    for (node, expected) in [
        (r#"{"code":"10000","out_trade_no":"P1"}"#, Closing::Closed),
        (r#"{"code":"40004","sub_code":"ACQ.TRADE_NOT_EXIST"}"#, Closing::Closed),
        (
            r#"{"code":"40004","sub_code":"ACQ.TRADE_HAS_SUCCESS"}"#,
            Closing::AlreadyPaid,
        ),
    ] {
        assert_eq!(answered(node).await.close("P1").await.unwrap(), expected, "{node}");
    }
}

#[tokio::test]
async fn a_state_that_does_not_allow_closing_is_asked_for() {
    for (status, expected) in [
        ("TRADE_SUCCESS", Closing::AlreadyPaid),
        ("TRADE_CLOSED", Closing::Closed),
    ] {
        let address = provider(move |_, body| {
            let method = field(&assert_signed(body), "method");
            if method == "alipay.trade.close" {
                return answer(&method, r#"{"code":"40004","sub_code":"ACQ.TRADE_STATUS_ERROR"}"#);
            }
            let node = json!({
                "code": "10000", "out_trade_no": "P1", "trade_no": "T1", "trade_status": status, "total_amount": "199",
            });
            answer(&method, &node.to_string())
        });
        assert_eq!(channel(&address.await).close("P1").await.unwrap(), expected);
    }
}

#[tokio::test]
async fn a_refunds_states_are_read() {
    for (change, expected) in [("Y", RefundState::Succeeded), ("N", RefundState::Processing)] {
        let address = provider(move |_, body| {
            let pairs = assert_signed(body);
            let content: Value = serde_json::from_str(&field(&pairs, "biz_content")).unwrap();
            let expected = json!({
                "out_trade_no": "P1", "trade_no": "T1", "refund_amount": "1.00", "refund_reason": "退款",
                "out_request_no": "R1",
            });
            assert_eq!(content, expected);
            let node = json!({ "code": "10000", "out_trade_no": "P1", "fund_change": change });
            answer(&field(&pairs, "method"), &node.to_string())
        });
        assert_eq!(channel(&address.await).refund(&new_refund()).await.unwrap(), expected);
    }
    for (node, expected) in [
        (
            r#"{"code":"10000","out_request_no":"R1","refund_status":"REFUND_SUCCESS"}"#,
            RefundState::Succeeded,
        ),
        (r#"{"code":"10000"}"#, RefundState::Unknown),
        (
            r#"{"code":"40004","sub_code":"ACQ.TRADE_NOT_EXIST"}"#,
            RefundState::Unknown,
        ),
    ] {
        assert_eq!(
            answered(node).await.query_refund("R1", "P1").await.unwrap(),
            expected,
            "{node}"
        );
    }
}

#[tokio::test]
async fn later_is_not_no() {
    for node in [
        r#"{"code":"20000","sub_code":"aop.unknow-error"}"#,
        r#"{"code":"40004","sub_code":"ACQ.SYSTEM_ERROR"}"#,
    ] {
        let error = answered(node).await.refund(&new_refund()).await.unwrap_err();
        assert!(matches!(error, ChannelError::Unreached(_)), "{error:?}");
    }
    for node in [
        r#"{"code":"40004","sub_code":"ACQ.SELLER_BALANCE_NOT_ENOUGH"}"#,
        r#"{"code":"40002","sub_code":"isv.invalid-signature"}"#,
    ] {
        let error = answered(node).await.refund(&new_refund()).await.unwrap_err();
        assert!(matches!(error, ChannelError::Refused(_)), "{error:?}");
    }
    let (_listener, address) = silent_provider().await;
    let error = channel(&address).query("P1").await.unwrap_err();
    assert!(matches!(error, ChannelError::Unreached(_)), "{error:?}");
    let address = provider(|_, _| {
        let mut answer = Response::new(Body::empty());
        *answer.status_mut() = 502.try_into().unwrap();
        answer
    });
    let error = channel(&address.await).query("P1").await.unwrap_err();
    assert!(matches!(error, ChannelError::Unreached(_)), "{error:?}");
}

#[tokio::test]
async fn an_answer_without_a_good_signature_is_not_trusted() {
    let node = r#"{"code":"10000","out_trade_no":"P1","trade_status":"TRADE_CLOSED"}"#;
    let good = sign(&THEIRS.signing, node.as_bytes()).unwrap();
    let ours = sign(&OURS.signing, node.as_bytes()).unwrap();
    let node_name = "alipay_trade_query_response";
    for body in [
        String::new(),
        "<html>".to_owned(),
        format!(r#"{{"{node_name}":{node}}}"#),
        format!(r#"{{"{node_name}":{node},"sign":"{ours}"}}"#),
        format!(r#"{{"{node_name}":{node},"sign":1}}"#),
        format!(r#"{{"{node_name}":{},"sign":"{good}"}}"#, node.replace(",", ", ")),
        format!(r#"{{"other_response":{node},"sign":"{good}"}}"#),
        r#"{"error_response":{"code":"40002","sub_code":"isv.invalid-app-id"}}"#.to_owned(),
    ] {
        let address = provider(move |_, _| Response::new(Body::from(body.clone())));
        let error = channel(&address.await).query("P1").await.unwrap_err();
        assert!(matches!(error, ChannelError::Untrusted(_)), "{error:?}");
    }
    let about_another = answered(node).await.query("P2").await.unwrap_err();
    assert!(matches!(about_another, ChannelError::Untrusted(_)), "{about_another:?}");
}
