//! Which callbacks are believed, and what they say.

use super::*;
use crate::channels::{
    Channel as _, Fact, Notification, PaidFact, Rejected,
    test_support::{NOW, VECTORS, paid_fact, vector},
};
use proptest::prelude::*;

const TIMESTAMP: &str = "1767196806";

fn verify(headers: &HeaderMap, body: &[u8]) -> Result<Notification, Rejected> {
    channel("http://127.0.0.1:1").verify(headers, body, NOW)
}

/// Signed as it should be.
fn signed(body: &[u8]) -> HeaderMap {
    signed_by(&THEIRS, CERTIFICATE_SERIAL, TIMESTAMP, body)
}

fn said(kind: &str, plain: &Value) -> Result<Notification, Rejected> {
    let body = event(kind, plain);
    verify(&signed(&body), &body)
}

fn with(mut object: Value, pointer: &str, value: Value) -> Value {
    *object.pointer_mut(pointer).unwrap() = value;
    object
}

#[test]
fn the_vector_is_verified_decrypted_and_read() {
    let mut account = account();
    let (key, _) = PublicKey::from_pem(vector("/wechat/public_key_pem")).unwrap();
    let serial = vector("/wechat/headers/Wechatpay-Serial");
    account.platform_keys.add(serial, key).unwrap();
    account.api_v3_key = ApiV3Key::parse(vector("/wechat/apiv3_key")).unwrap();
    let headers = VECTORS["wechat"]["headers"].as_object().unwrap();
    let headers: Vec<(&str, &str)> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str().unwrap()))
        .collect();
    let mut headers = headers_of(&headers);
    let verify = |headers: &HeaderMap, body: &[u8]| super::super::notification::verify(&account, headers, body, NOW);
    let notification = verify(&headers, vector("/wechat/body").as_bytes()).unwrap();
    let expected = PaidFact {
        payment_no: "T20260101000000000001".to_owned(),
        transaction_id: "4200000000202601010000000001".to_owned(),
        amount_fen: 1_999,
        currency: "CNY".to_owned(),
        merchant: MERCHANT.to_owned(),
    };
    assert_eq!(notification.fact, Fact::Paid(expected));
    assert_eq!(notification.merchant, MERCHANT);

    let signature = HeaderValue::from_static(vector("/wechat/empty_body_signature"));
    headers.insert(SIGNATURE_HEADER, signature);
    assert_eq!(
        verify(&headers, b""),
        Err(Rejected::Content),
        "verified, and nothing in it"
    );
    assert_eq!(verify(&headers, b"{}"), Err(Rejected::Signature));
}

#[test]
fn odd_spellings_of_json_are_verified_as_they_came() {
    let resource = resource(transaction().to_string().as_bytes());
    let odd = [
        format!(r#"{{"summary":"支付成功","id":"N1","event_type":"TRANSACTION.SUCCESS","resource":{resource}}}"#),
        format!("{{ \"event_type\" :\t\"TRANSACTION.SUCCESS\" ,\r\n \"resource\":{resource} , \"v\":1.0 }}\n"),
        format!(r#"{{"event_type":"TRANSACTION\u002ESUCCESS","s":"\u001B\/\ud83c\udf89","resource":{resource}}}"#),
        format!("{{\"event_type\":\"TRANSACTION.SUCCESS\",\"s\":\"\u{2028}🎉\",\"resource\":{resource}}}\n\n"),
    ];
    for body in odd {
        let headers = signed(body.as_bytes());
        let fact = verify(&headers, body.as_bytes()).unwrap().fact;
        assert_eq!(fact, Fact::Paid(paid_fact(MERCHANT)), "{body}");
        for position in [0, body.len() / 2, body.len() - 1] {
            let mut flipped = body.clone().into_bytes();
            flipped[position] ^= 1;
            assert_eq!(verify(&headers, &flipped), Err(Rejected::Signature));
        }
    }
}

#[test]
fn what_decrypts_is_not_believed_without_its_signature() {
    let body = event("TRANSACTION.SUCCESS", &transaction());
    let random = STANDARD.encode([7; 256]);
    let others = signed(b"another body").get(SIGNATURE_HEADER).unwrap().clone();
    for signature in [
        HeaderValue::from_str(&random).unwrap(),
        others,
        HeaderValue::from_static("a+b"),
    ] {
        let mut headers = signed(&body);
        headers.insert(SIGNATURE_HEADER, signature);
        assert_eq!(verify(&headers, &body), Err(Rejected::Signature));
    }
    for name in [TIMESTAMP_HEADER, NONCE_HEADER, SIGNATURE_HEADER, SERIAL_HEADER] {
        let mut headers = signed(&body);
        let value = headers.remove(name).unwrap();
        assert_eq!(verify(&headers, &body), Err(Rejected::Malformed), "{name} missing");
        headers.append(name, value.clone());
        headers.append(name, value);
        assert_eq!(verify(&headers, &body), Err(Rejected::Malformed), "{name} twice");
        headers.insert(name, HeaderValue::from_bytes(b"\xff").unwrap());
        assert_eq!(verify(&headers, &body), Err(Rejected::Malformed), "{name} not ASCII");
    }
}

#[test]
fn what_is_signed_but_tampered_with_inside_cannot_be_decrypted() {
    let body: Value = serde_json::from_slice(&event("TRANSACTION.SUCCESS", &transaction())).unwrap();
    for (pointer, value) in [
        ("/resource/nonce", "abcdefghijkm"),
        ("/resource/nonce", "short"),
        ("/resource/associated_data", "refund"),
        ("/resource/ciphertext", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
        ("/resource/ciphertext", "not Base64"),
        ("/resource/ciphertext", ""),
        ("/resource/algorithm", "AEAD_SM4_GCM"),
    ] {
        let body = with(body.clone(), pointer, json!(value)).to_string().into_bytes();
        assert_eq!(verify(&signed(&body), &body), Err(Rejected::Decryption), "{pointer}");
    }
    for body in [
        "",
        "null",
        "[]",
        "{\"event_type\":1}",
        "{\"event_type\":\"TRANSACTION.SUCCESS\"}",
        "\u{feff}{}",
    ] {
        assert_eq!(
            verify(&signed(body.as_bytes()), body.as_bytes()),
            Err(Rejected::Content),
            "{body}"
        );
    }
}

#[test]
fn both_keys_hold_during_the_change_and_each_only_under_its_own_serial() {
    let body = event("TRANSACTION.SUCCESS", &transaction());
    let check = |key: &TestKey, serial: &str| verify(&signed_by(key, serial, TIMESTAMP, &body), &body).map(|_| ());
    for serial in ["0ABCDEF012", "0abcdef012", "ABCDEF012", "0000ABCDEF012"] {
        assert_eq!(check(&THEIRS, serial), Ok(()), "{serial}");
        assert_eq!(check(&THEIR_NEXT, serial), Err(Rejected::Signature), "{serial}");
    }
    assert_eq!(check(&THEIR_NEXT, PUBLIC_KEY_ID), Ok(()));
    assert_eq!(check(&THEIRS, PUBLIC_KEY_ID), Err(Rejected::Signature));
    let decimal = 0x0A_BCDE_F012_u64.to_string();
    for serial in [
        "pub_key_id_0119000000012026",
        "PUB_KEY_ID_119000000012026",
        "0119000000012026",
        "PUB_KEY_ID_",
        "ABCDEF0120",
        "0",
        &decimal,
        "FFFF",
    ] {
        for key in [&*THEIRS, &*THEIR_NEXT] {
            assert_eq!(check(key, serial), Err(Rejected::UnknownKey), "{serial}");
        }
    }
}

#[test]
fn the_kind_of_signature_is_absent_empty_or_the_one_that_is_known() {
    let body = event("TRANSACTION.SUCCESS", &transaction());
    for (kind, believed) in [
        ("", true),
        ("WECHATPAY2-SHA256-RSA2048", true),
        ("WECHATPAY2-SM2-WITH-SM3", false),
        ("wechatpay2-sha256-rsa2048", false),
    ] {
        let mut headers = signed(&body);
        headers.insert("wechatpay-signature-type", HeaderValue::from_static(kind));
        assert_eq!(verify(&headers, &body).is_ok(), believed, "{kind}");
    }
}

#[test]
fn a_time_of_signing_outside_the_window_is_refused_on_both_sides() {
    let body = event("TRANSACTION.SUCCESS", &transaction());
    let check = |timestamp: &str| {
        let headers = signed_by(&THEIRS, CERTIFICATE_SERIAL, timestamp, &body);
        verify(&headers, &body).map(|_| ())
    };
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
    for text in ["abc", "-1767196806", "1767196806.0", "99999999999999999999"] {
        assert_eq!(check(text), Err(Rejected::Malformed), "{text}");
    }
}

#[test]
fn a_probe_fails_as_any_wrong_signature_and_has_its_own_label() {
    let body = event("TRANSACTION.SUCCESS", &transaction());
    let mut headers = signed(&body);
    let good = headers.get(SIGNATURE_HEADER).unwrap().to_str().unwrap();
    let probe = HeaderValue::from_str(&format!("WECHATPAY/SIGNTEST/{good}")).unwrap();
    headers.insert(SIGNATURE_HEADER, probe);
    assert_eq!(verify(&headers, &body), Err(Rejected::Probe));
}

#[test]
fn the_price_counts_and_not_the_buyers_share_of_it() {
    for total in ["19900", "19900.0"] {
        let plain = transaction()
            .to_string()
            .replace("\"total\":19900", &format!("\"total\":{total}"));
        let body = json!({ "event_type": "TRANSACTION.SUCCESS", "resource": resource(plain.as_bytes()) }).to_string();
        let fact = verify(&signed(body.as_bytes()), body.as_bytes()).unwrap().fact;
        assert_eq!(fact, Fact::Paid(paid_fact(MERCHANT)));
    }
    let yen = with(transaction(), "/amount/currency", json!("JPY"));
    let Fact::Paid(paid) = said("TRANSACTION.SUCCESS", &yen).unwrap().fact else {
        panic!("paid in yen is paid, and the shop will not take it");
    };
    assert_eq!(paid.currency, "JPY");
    for total in [json!("19900"), json!(199.005), json!(-1), json!(null), json!(1e300)] {
        let odd = with(transaction(), "/amount/total", total);
        assert_eq!(said("TRANSACTION.SUCCESS", &odd), Err(Rejected::Content));
    }
}

#[test]
fn another_merchant_or_application_is_named_as_it_is() {
    for (pointer, merchant) in [("/mchid", "X/wxtest0000000001"), ("/appid", "1900000001/X")] {
        let notification = said("TRANSACTION.SUCCESS", &with(transaction(), pointer, json!("X"))).unwrap();
        assert_eq!(notification.merchant, merchant);
        assert_eq!(notification.fact, Fact::Paid(paid_fact(merchant)));
    }
    let mut partners = transaction();
    partners.as_object_mut().unwrap().remove("mchid");
    assert_eq!(
        said("TRANSACTION.SUCCESS", &partners).unwrap().merchant,
        "/wxtest0000000001"
    );
}

#[test]
fn every_trade_state_has_its_meaning() {
    let ended = |failed| Fact::PaymentEnded {
        payment_no: "P1".to_owned(),
        failed,
    };
    let nothing = |state: &str| Fact::NothingFinal {
        kind: format!("TRANSACTION.SUCCESS {state}"),
    };
    for (state, fact) in [
        ("SUCCESS", Fact::Paid(paid_fact(MERCHANT))),
        ("REFUND", Fact::Paid(paid_fact(MERCHANT))),
        ("CLOSED", ended(false)),
        ("REVOKED", ended(false)),
        ("PAYERROR", ended(true)),
        ("USERPAYING", nothing("USERPAYING")),
        ("NOTPAY", nothing("NOTPAY")),
    ] {
        let plain = with(transaction(), "/trade_state", json!(state));
        assert_eq!(said("TRANSACTION.SUCCESS", &plain).unwrap().fact, fact, "{state}");
    }
}

#[test]
fn refunds_and_test_messages_are_read() {
    let refund = json!({
        "mchid": "1900000001", "out_trade_no": "P1", "transaction_id": "T1", "out_refund_no": "R1",
        "refund_status": "SUCCESS", "amount": { "total": 19_900, "refund": 100, "payer_refund": 50 },
    });
    let succeeded = said("REFUND.SUCCESS", &refund).unwrap();
    assert_eq!(succeeded.merchant, MERCHANT);
    let expected = Fact::Refunded {
        refund_no: "R1".to_owned(),
        payment_no: "P1".to_owned(),
        amount_fen: Some(100),
    };
    assert_eq!(succeeded.fact, expected);
    for kind in ["ABNORMAL", "CLOSED"] {
        let expected = Fact::RefundRefused {
            refund_no: "R1".to_owned(),
            payment_no: "P1".to_owned(),
            reason: kind.to_owned(),
        };
        assert_eq!(said(&format!("REFUND.{kind}"), &refund).unwrap().fact, expected);
    }
    let others = said("REFUND.SUCCESS", &with(refund, "/mchid", json!("X"))).unwrap();
    assert_eq!(others.merchant, "X");
    for kind in ["SECURITY_ECHO.SUCCESS", "PAYSCORE.USER_OPEN_SERVICE", ""] {
        let notification = said(kind, &json!({ "anything": [1] })).unwrap();
        assert_eq!(notification.merchant, "");
        assert_eq!(notification.fact, Fact::NothingFinal { kind: kind.to_owned() });
    }
}

#[test]
fn a_refund_event_of_a_payment_that_ended_says_nothing_of_the_payment() {
    assert_eq!(said("REFUND.SUCCESS", &transaction()), Err(Rejected::Content));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_make_it_panic(
        body in prop::collection::vec(any::<u8>(), 0..200),
        header in prop::collection::vec(any::<u8>(), 0..60),
        which in 0..4_usize,
    ) {
        let mut headers = signed(&body);
        prop_assert!(verify(&headers, &body).is_err());
        if let Ok(value) = HeaderValue::from_bytes(&header) {
            headers.insert([TIMESTAMP_HEADER, NONCE_HEADER, SIGNATURE_HEADER, SERIAL_HEADER][which], value);
            prop_assert!(verify(&headers, &body).is_err());
        }
    }

    #[test]
    fn no_plain_text_makes_it_panic(plain in prop::collection::vec(any::<u8>(), 0..200)) {
        for kind in ["TRANSACTION.SUCCESS", "REFUND.SUCCESS"] {
            let body = json!({ "event_type": kind, "resource": resource(&plain) }).to_string();
            prop_assert!(verify(&signed(body.as_bytes()), body.as_bytes()).is_err());
        }
    }
}
