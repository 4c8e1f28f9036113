//! Which notices are believed, and what they say.

use super::*;
use crate::channels::{
    Channel as _, Fact, Notification, PaidFact, Rejected,
    crypto::PublicKey,
    test_support::{NOW, paid_fact, vector},
};
use axum::http::HeaderMap;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use proptest::prelude::*;

fn verify(body: &[u8]) -> Result<Notification, Rejected> {
    channel("http://127.0.0.1:1").verify(&HeaderMap::new(), body, NOW)
}

const PAID: [(&str, &str); 9] = [
    ("charset", "utf-8"),
    ("app_id", "2021000000000001"),
    ("seller_id", "2088000000000002"),
    ("notify_id", "N1"),
    ("trade_status", "TRADE_SUCCESS"),
    ("out_trade_no", "P1"),
    ("trade_no", "T1"),
    ("total_amount", "199.00"),
    ("sign_type", "RSA2"),
];

fn pairs_of(fields: &[(&str, &str)]) -> Vec<Pair> {
    fields
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()))
        .collect()
}

/// A paid notice with other or more fields.
fn paid_with(fields: &[(&str, &str)]) -> Vec<Pair> {
    let mut pairs = pairs_of(&PAID);
    for (name, value) in pairs_of(fields) {
        match pairs.iter_mut().find(|pair| pair.0 == name) {
            Some(pair) => pair.1 = value,
            None => pairs.push((name, value)),
        }
    }
    pairs
}

fn signed_without(mut pairs: Vec<Pair>, left_out: LeftOut) -> String {
    let signature = sign(&THEIRS.signing, &signed_bytes(&pairs, left_out)).unwrap();
    pairs.push(("sign".into(), signature.into()));
    form(&pairs)
}

fn signed(pairs: Vec<Pair>) -> String {
    signed_without(pairs, LeftOut::OfNotice)
}

fn fact(fields: &[(&str, &str)]) -> Result<Fact, Rejected> {
    Ok(verify(signed(paid_with(fields)).as_bytes())?.fact)
}

#[test]
fn the_vectors_are_verified_and_read() {
    let der = STANDARD.decode(vector("/alipay/public_key_der_base64")).unwrap();
    let key = PublicKey::from_der(&der);
    for which in ["/alipay", "/alipay/no_empty"] {
        let body = vector(&format!("{which}/form_body")).as_bytes();
        let message = signed_bytes(&pairs(body).unwrap(), LeftOut::OfNotice);
        assert_eq!(message, vector(&format!("{which}/signed_string")).as_bytes());
        let notification = super::super::notice::verify(&key, body).unwrap();
        let expected = PaidFact {
            payment_no: "T20260101000000000001".to_owned(),
            transaction_id: "2026010122000000000000000001".to_owned(),
            amount_fen: 1_999,
            currency: "CNY".to_owned(),
            merchant: MERCHANT.to_owned(),
        };
        assert_eq!(notification.fact, Fact::Paid(expected));
        assert_eq!(notification.merchant, MERCHANT);
        let forged = String::from_utf8_lossy(body).replace("19.99", "19.98");
        assert_eq!(
            super::super::notice::verify(&key, forged.as_bytes()),
            Err(Rejected::Signature)
        );
    }
}

#[test]
fn empty_values_may_be_signed_or_not() {
    for left_out in [LeftOut::OfNotice, LeftOut::OfNoticeAndEmpty] {
        let body = signed_without(paid_with(&[("body", ""), ("gmt_refund", "")]), left_out);
        assert_eq!(verify(body.as_bytes()).unwrap().fact, Fact::Paid(paid_fact(MERCHANT)));
    }
    let body = signed_without(paid_with(&[]), LeftOut::OfRequest);
    assert_eq!(
        verify(body.as_bytes()),
        Err(Rejected::Signature),
        "sign_type is not signed"
    );
}

#[test]
fn both_charsets_are_verified_over_their_own_bytes() {
    for (charset, encoding) in [
        ("GBK", encoding_rs::GBK),
        ("gbk", encoding_rs::GBK),
        ("GB2312", encoding_rs::GBK),
        ("gb18030", encoding_rs::GB18030),
        ("UTF-8", encoding_rs::UTF_8),
        ("utf-8", encoding_rs::UTF_8),
    ] {
        let mut pairs = paid_with(&[("charset", charset)]);
        let subject = encoding.encode("安溪铁观音 a b+c%26&=").0.into_owned();
        pairs.push(("subject".into(), subject));
        let body = signed(pairs);
        assert_eq!(
            verify(body.as_bytes()).unwrap().fact,
            Fact::Paid(paid_fact(MERCHANT)),
            "{charset}"
        );
        let other_bytes = body.replacen("%B0%B2", "%E5%AE%89", 1);
        if other_bytes != body {
            assert_eq!(verify(other_bytes.as_bytes()), Err(Rejected::Signature), "{charset}");
        }
    }
    assert_eq!(fact(&[("charset", "utf-16")]), Err(Rejected::Content));
}

#[test]
fn a_space_may_travel_as_plus_or_as_percent_20() {
    let body = signed(paid_with(&[("subject", "a b+c%26")]));
    assert!(body.contains("a+b%2Bc%2526"), "{body}");
    for body in [body.clone(), body.replace("a+b", "a%20b")] {
        assert_eq!(verify(body.as_bytes()).unwrap().fact, Fact::Paid(paid_fact(MERCHANT)));
    }
    for body in [body.replace("%2526", "%26"), body.replace("%2B", "+")] {
        assert_eq!(
            verify(body.as_bytes()),
            Err(Rejected::Signature),
            "decoded once and only once"
        );
    }
}

#[test]
fn a_plus_in_the_signature_that_is_not_escaped_fails_cleanly() {
    let with_plus = (0..).find_map(|number| {
        let body = signed(paid_with(&[("notify_id", &format!("N{number}"))]));
        let sign = body.find("&sign=").unwrap();
        body[sign..].contains("%2B").then_some((body, sign))
    });
    let (body, sign) = with_plus.unwrap();
    assert!(verify(body.as_bytes()).is_ok());
    let raw = format!("{}{}", &body[..sign], body[sign..].replace("%2B", "+"));
    assert_eq!(verify(raw.as_bytes()), Err(Rejected::Signature));
}

#[test]
fn the_kind_of_signature_is_not_the_senders_choice() {
    for kind in ["RSA", "rsa2", "HMAC", ""] {
        assert_eq!(fact(&[("sign_type", kind)]), Err(Rejected::Malformed), "{kind}");
    }
    let unsigned = form(&paid_with(&[]));
    for body in ["", "&&", "%", "sign=", &unsigned, &format!("{unsigned}&sign=")] {
        assert_eq!(verify(body.as_bytes()), Err(Rejected::Malformed), "{body}");
    }
    let random = STANDARD.encode([9; 256]).replace('+', "%2B");
    let body = format!("{unsigned}&sign={random}");
    assert_eq!(verify(body.as_bytes()), Err(Rejected::Signature));
}

#[test]
fn a_name_that_comes_twice_is_refused_however_it_is_written() {
    let body = signed(paid_with(&[]));
    for more in ["&out_trade_no=P2", "&out%5Ftrade_no=P1", "&sign=x", "&charset=gbk"] {
        assert_eq!(
            verify(format!("{body}{more}").as_bytes()),
            Err(Rejected::Malformed),
            "{more}"
        );
    }
    assert_eq!(verify(format!("{body}&extra=1").as_bytes()), Err(Rejected::Signature));
}

#[test]
fn a_field_cannot_be_hidden_in_another_ones_value() {
    // The same signed bytes as those of a payment of 199.00, cut elsewhere.
    let honest = paid_with(&[]);
    let bytes = String::from_utf8(signed_bytes(&honest, LeftOut::OfNotice)).unwrap();
    let (before, after) = bytes.split_once("&total_amount=").unwrap();
    let mut recut: Vec<Pair> = Vec::new();
    for part in before.split('&').take(4) {
        let (name, value) = part.split_once('=').unwrap();
        recut.push((name.into(), value.into()));
    }
    let rest = before.splitn(5, '&').nth(4).unwrap();
    let (name, value) = rest.split_once('=').unwrap();
    recut.push((name.into(), format!("{value}&total_amount={after}").into()));
    assert_eq!(signed_bytes(&recut, LeftOut::OfNotice), bytes.as_bytes());
    recut.push(("sign_type".into(), "RSA2".into()));
    assert_eq!(verify(signed(recut).as_bytes()), Err(Rejected::Content));
}

#[test]
fn another_application_or_seller_is_named_as_it_is() {
    for (name, merchant) in [("app_id", "X/2088000000000002"), ("seller_id", "2021000000000001/X")] {
        let notification = verify(signed(paid_with(&[(name, "X")])).as_bytes()).unwrap();
        assert_eq!(notification.merchant, merchant);
        assert_eq!(notification.fact, Fact::Paid(paid_fact(merchant)));
    }
    assert_eq!(
        verify(signed(paid_with(&[("app_id", ""), ("seller_id", "")])).as_bytes())
            .unwrap()
            .merchant,
        "/"
    );
}

#[test]
fn amounts_are_exact_decimals() {
    for (amount, fen) in [
        ("199", 19_900),
        ("199.000", 19_900),
        ("1.99", 199),
        ("198.99", 19_899),
        ("19900", 1_990_000),
    ] {
        let Fact::Paid(paid) = fact(&[("total_amount", amount)]).unwrap() else {
            panic!("{amount}");
        };
        assert_eq!(paid.amount_fen, fen, "{amount}");
    }
    for amount in ["1.999", "abc", "-1.00", "1e2", ""] {
        assert_eq!(fact(&[("total_amount", amount)]), Err(Rejected::Content), "{amount}");
    }
}

#[test]
fn a_success_that_is_repeated_with_a_refund_stays_the_same_success() {
    for status in ["TRADE_SUCCESS", "TRADE_FINISHED"] {
        let fields = [
            ("trade_status", status),
            ("refund_fee", "1.00"),
            ("gmt_refund", "2026-01-01 00:00:00"),
        ];
        assert_eq!(fact(&fields), Ok(Fact::Paid(paid_fact(MERCHANT))));
    }
}

#[test]
fn closed_means_unpaid_or_all_paid_back() {
    let closed = ("trade_status", "TRADE_CLOSED");
    let ended = Fact::PaymentEnded {
        payment_no: "P1".to_owned(),
        failed: false,
    };
    assert_eq!(fact(&[closed]), Ok(ended.clone()));
    assert_eq!(fact(&[closed, ("refund_fee", "0.00")]), Ok(ended));
    let refunded = |refund_no: &str, amount_fen| Fact::Refunded {
        refund_no: refund_no.to_owned(),
        payment_no: "P1".to_owned(),
        amount_fen,
    };
    let (fee, time) = (("refund_fee", "199.00"), ("gmt_refund", "2026-01-01 00:00:00.123"));
    assert_eq!(fact(&[closed, fee]), Ok(refunded("", None)));
    assert_eq!(fact(&[closed, time, ("out_biz_no", "R1")]), Ok(refunded("R1", None)));
    let fields = [closed, fee, time, ("out_request_no", "R1"), ("refund_amount", "1.00")];
    assert_eq!(fact(&fields), Ok(refunded("R1", Some(100))));
}

#[test]
fn what_ends_nothing_has_no_effect() {
    let nothing = |kind: &str| Ok(Fact::NothingFinal { kind: kind.to_owned() });
    assert_eq!(fact(&[("trade_status", "WAIT_BUYER_PAY")]), nothing("WAIT_BUYER_PAY"));
    assert_eq!(fact(&[("trade_status", ""), ("notify_type", "test")]), nothing("test"));
    assert_eq!(fact(&[("notify_time", "never")]), Ok(Fact::Paid(paid_fact(MERCHANT))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_make_it_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(verify(&body).is_err());
    }

    #[test]
    fn no_signed_values_make_it_panic(
        name in prop::sample::select(PAID.map(|(name, _)| name).to_vec()),
        value in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut pairs = paid_with(&[]);
        pairs.iter_mut().find(|pair| pair.0 == name.as_bytes()).unwrap().1 = value;
        let _ = verify(signed(pairs).as_bytes());
    }
}
