//! Which events are believed, and what they say.

use super::*;
use crate::channels::{
    Channel as _, Fact, Notification, Rejected,
    test_support::{NOW, paid_fact},
};
use proptest::prelude::*;
use serde_json::{Value, json};

const TIMESTAMP: &str = "1767196806";

fn verify(headers: &HeaderMap, body: &[u8]) -> Result<Notification, Rejected> {
    channel_with(&[NEW, OLD], "http://127.0.0.1:1").verify(headers, body, NOW)
}

fn event(kind: &str) -> Value {
    json!({
        "type": kind,
        "timestamp": "2026-01-01T00:00:06+08:00",
        "data": {
            "merchant": "M1", "payment_no": "P1", "transaction_id": "T1", "amount_fen": 19_900, "currency": "CNY",
            "refund_no": "R1", "reason": "no money", "note": "🎉 é",
        },
    })
}

fn said(event: &Value) -> Result<Notification, Rejected> {
    let body = event.to_string();
    verify(&signed(NEW, TIMESTAMP, body.as_bytes()), body.as_bytes())
}

#[test]
fn odd_spellings_of_json_are_verified_as_they_came_whatever_the_content_type() {
    let data = event("payment.succeeded")["data"].to_string();
    for body in [
        format!(r#"{{"summary":"支付","data":{data},"type":"payment.succeeded"}}"#),
        format!("{{ \"type\" :\t\"payment.succeeded\",\r\n\"data\": {data} , \"v\" : 1.0}}\n"),
        format!(r#"{{"type":"payment\u002esucceeded","s":"\u001B\/","data":{data}}}"#),
        format!("{{\"type\":\"payment.succeeded\",\"s\":\"\u{2028}🎉 é\",\"data\":{data}}}"),
        format!(
            r#"{{"type":"payment.succeeded","data":{}}}"#,
            data.replace("\"amount_fen\":19900", "\"amount_fen\":19900.0")
        ),
    ] {
        let mut headers = signed(NEW, TIMESTAMP, body.as_bytes());
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        headers.insert("content-type", form);
        let notification = verify(&headers, body.as_bytes()).unwrap();
        assert_eq!(notification.fact, Fact::Paid(paid_fact("M1")), "{body}");
        assert_eq!(notification.id, "msg_1");
        for position in [0, body.len() / 2, body.len() - 1] {
            let mut flipped = body.clone().into_bytes();
            flipped[position] ^= 1;
            assert_eq!(verify(&headers, &flipped), Err(Rejected::Signature));
        }
    }
}

#[test]
fn any_current_signature_passes_and_a_retired_one_fails() {
    let body = event("payment.succeeded").to_string().into_bytes();
    let by = |text: &str| signature(&secret(text), "msg_1", TIMESTAMP, &body);
    let (new, old, retired) = (by(NEW), by(OLD), by(RETIRED));
    let base64 = &new[3..];
    for (signatures, believed) in [
        (new.clone(), true),
        (old.clone(), true),
        (format!("{old} {new}"), true),
        (format!("{new} {old}"), true),
        (format!("{retired} {old}"), true),
        (format!("v1,short v2,{base64} nonsense {new}"), true),
        (retired, false),
        (format!("v2,{base64}"), false),
        (format!("v1a,{base64}"), false),
        (format!("V1,{base64}"), false),
        (format!("sha256={}", "AB".repeat(32)), false),
        (format!("v1,{}", base64.to_uppercase()), false),
        (format!("{new},{new}"), false),
        (new[..20].to_owned(), false),
        ("v1,".to_owned(), false),
    ] {
        let result = verify(&headers_of("msg_1", TIMESTAMP, &signatures), &body).map(|_| ());
        let expected = if believed { Ok(()) } else { Err(Rejected::Signature) };
        assert_eq!(result, expected, "{signatures}");
    }
    let after = channel_with(&[NEW], "http://127.0.0.1:1");
    let headers = headers_of("msg_1", TIMESTAMP, &old);
    assert_eq!(after.verify(&headers, &body, NOW), Err(Rejected::Signature));
}

#[test]
fn every_header_must_be_there_once_and_the_number_has_no_dot() {
    let body = event("payment.succeeded").to_string().into_bytes();
    for name in [ID_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER] {
        let mut headers = signed(NEW, TIMESTAMP, &body);
        let value = headers.remove(name).unwrap();
        assert_eq!(verify(&headers, &body), Err(Rejected::Malformed), "{name} missing");
        headers.append(name, value.clone());
        headers.append(name, value);
        assert_eq!(verify(&headers, &body), Err(Rejected::Malformed), "{name} twice");
    }
    let signatures = signature(&secret(NEW), "msg.1", TIMESTAMP, &body);
    assert_eq!(
        verify(&headers_of("msg.1", TIMESTAMP, &signatures), &body),
        Err(Rejected::Malformed)
    );
}

#[test]
fn a_time_of_signing_outside_the_window_is_refused_on_both_sides() {
    let body = event("payment.succeeded").to_string().into_bytes();
    let check = |timestamp: &str| verify(&signed(NEW, timestamp, &body), &body).map(|_| ());
    let seconds = NOW / 1_000;
    for offset in [0, -240, 240, -299, 299] {
        assert_eq!(check(&(seconds + offset).to_string()), Ok(()), "{offset}");
    }
    for offset in [-300, 300, -360, 360, -86_400] {
        assert_eq!(
            check(&(seconds + offset).to_string()),
            Err(Rejected::Window),
            "{offset}"
        );
    }
    assert_eq!(check(&NOW.to_string()), Err(Rejected::Window), "milliseconds");
    for text in ["abc", "-1767196806", "1767196806.5", "99999999999999999999"] {
        assert_eq!(check(text), Err(Rejected::Malformed), "{text}");
    }
}

#[test]
fn every_event_has_its_meaning() {
    let ended = |failed| Fact::PaymentEnded {
        payment_no: "P1".to_owned(),
        failed,
    };
    let nothing = |kind: &str| Fact::NothingFinal { kind: kind.to_owned() };
    let refunded = Fact::Refunded {
        refund_no: "R1".to_owned(),
        payment_no: "P1".to_owned(),
        amount_fen: Some(19_900),
    };
    let refused = Fact::RefundRefused {
        refund_no: "R1".to_owned(),
        payment_no: "P1".to_owned(),
        reason: "no money".to_owned(),
    };
    for (kind, fact) in [
        ("payment.succeeded", Fact::Paid(paid_fact("M1"))),
        ("payment.closed", ended(false)),
        ("payment.failed", ended(true)),
        ("payment.pending", nothing("payment.pending")),
        ("refund.succeeded", refunded),
        ("refund.refused", refused),
        ("endpoint.test", nothing("endpoint.test")),
    ] {
        assert_eq!(said(&event(kind)).unwrap().fact, fact, "{kind}");
    }
    let strange = json!({ "type": "future.event", "data": [1, "x"] });
    assert_eq!(said(&strange).unwrap().fact, nothing("future.event"));
}

#[test]
fn an_event_says_whose_money_and_how_much() {
    let mut others = event("payment.succeeded");
    others["data"]["merchant"] = json!("M2");
    others["data"]["currency"] = json!("JPY");
    let notification = said(&others).unwrap();
    assert_eq!(notification.merchant, "M2");
    let Fact::Paid(paid) = notification.fact else {
        panic!("paid in yen is paid, and the shop will not take it");
    };
    assert_eq!((paid.merchant.as_str(), paid.currency.as_str()), ("M2", "JPY"));
    for (name, value) in [
        ("merchant", json!("")),
        ("merchant", json!(null)),
        ("payment_no", json!(1)),
        ("amount_fen", json!("19900")),
        ("amount_fen", json!(199.5)),
        ("amount_fen", json!(-1)),
        ("transaction_id", json!(null)),
        ("transaction_id", json!("")),
    ] {
        let mut odd = event("payment.succeeded");
        odd["data"][name] = value;
        assert_eq!(said(&odd), Err(Rejected::Content), "{name}");
    }
    for odd in [
        json!(null),
        json!([]),
        json!({ "data": {} }),
        json!({ "type": "payment.closed" }),
    ] {
        assert_eq!(said(&odd), Err(Rejected::Content), "{odd}");
    }
}

#[test]
fn our_own_requests_are_no_events() {
    let request = json!({ "payment_no": "P1", "merchant": "M1" });
    assert_eq!(said(&request), Err(Rejected::Content));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(
        body in prop::collection::vec(any::<u8>(), 0..200),
        header in prop::collection::vec(any::<u8>(), 0..60),
        which in 0..3_usize,
    ) {
        let mut headers = signed(NEW, TIMESTAMP, &body);
        prop_assert!(verify(&headers, &body).is_err());
        if let Ok(value) = HeaderValue::from_bytes(&header) {
            headers.insert([ID_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER][which], value);
            prop_assert!(verify(&headers, &body).is_err());
        }
    }
}
