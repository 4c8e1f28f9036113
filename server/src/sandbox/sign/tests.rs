//! What is signed here verifies with the shop's own channels, and each tampering is refused, or read, for its own reason.

use super::{super::keys::tests::directory_with_keys, *};
use crate::{
    channels::{Channel, Channels, Fact, Notification, Rejected},
    clock::Clock,
};
use std::{sync::Arc, time::Duration};
use tempfile::TempDir;

struct Both {
    keys: SandboxKeys,
    channels: Channels,
    _directory: TempDir,
}

fn both() -> Both {
    let directory = directory_with_keys();
    let keys = SandboxKeys::open(directory.path()).unwrap();
    let options = keys.channel_options("http://127.0.0.1:1/s", "http://127.0.0.1:1/s", "http://127.0.0.1:1");
    let channels = options.open(None, Clock::default(), Duration::from_secs(1)).unwrap();
    Both {
        keys,
        channels,
        _directory: directory,
    }
}

const NOW: Milliseconds = 1_767_196_806_000;

fn paid() -> What {
    What::of_payment(Kind::Paid, "OM-7K3F-9QWX-2MHD-1", "4200001", 19_900, NOW)
}

impl Both {
    fn channel(&self, id: ChannelId) -> Arc<dyn Channel> {
        self.channels.get(id).unwrap()
    }

    fn told(&self, id: ChannelId, what: &What, tamper: Tamper) -> Result<Notification, Rejected> {
        let request = self.keys.notification(id, what, tamper, NOW).unwrap();
        self.channel(id).verify(&request.header_map(), &request.body, NOW)
    }

    fn fact(&self, id: ChannelId, what: &What) -> Fact {
        self.told(id, what, Tamper::None).unwrap().fact
    }
}

#[test]
fn a_payment_is_told_over_every_protocol_and_by_either_key() {
    let both = both();
    for id in ChannelId::ALL {
        for signer in [Signer::PublicKey, Signer::Certificate] {
            let what = What { signer, ..paid() };
            let told = both.told(id, &what, Tamper::None).unwrap();
            assert_eq!(told.merchant, both.channel(id).merchant());
            let Fact::Paid(fact) = told.fact else {
                panic!("{id}: {told:?}")
            };
            assert_eq!(fact.payment_no, what.payment_no);
            assert_eq!(fact.transaction_id, what.transaction_id);
            assert_eq!((fact.amount_fen, fact.currency.as_str()), (19_900, "CNY"));
        }
    }
}

#[test]
fn what_is_not_a_payment_is_told_as_what_it_is() {
    let both = both();
    for id in ChannelId::ALL {
        let of = |kind| both.fact(id, &What { kind, ..paid() });
        assert!(
            matches!(of(Kind::Closed), Fact::PaymentEnded { failed: false, .. }),
            "{id}"
        );
        let expected = id != ChannelId::Alipay;
        assert!(
            matches!(of(Kind::Failed), Fact::PaymentEnded { failed, .. } if failed == expected),
            "{id}"
        );
        assert!(matches!(of(Kind::Pending), Fact::NothingFinal { .. }), "{id}");
    }
}

#[test]
fn a_refund_is_told_with_its_number() {
    let both = both();
    let refund = |amount_fen, refunded_fen| What {
        kind: Kind::Refunded,
        refund: Some(RefundPart {
            refund_no: "R1".to_owned(),
            provider_no: "5000".to_owned(),
            amount_fen,
            refunded_fen,
            reason: String::new(),
        }),
        ..paid()
    };
    for id in ChannelId::ALL {
        let Fact::Refunded {
            refund_no, amount_fen, ..
        } = both.fact(id, &refund(19_900, 19_900))
        else {
            panic!("{id}");
        };
        assert_eq!((refund_no.as_str(), amount_fen), ("R1", Some(19_900)), "{id}");
    }
    // A part that went back leaves Alipay's trade a success; the other two tell the refund itself.
    assert!(matches!(both.fact(ChannelId::Alipay, &refund(100, 100)), Fact::Paid(_)));
    assert!(matches!(
        both.fact(ChannelId::Wechat, &refund(100, 100)),
        Fact::Refunded {
            amount_fen: Some(100),
            ..
        }
    ));
    let refused = What {
        kind: Kind::RefundRefused,
        ..refund(100, 0)
    };
    for id in [ChannelId::Wechat, ChannelId::Webhook] {
        assert!(matches!(both.fact(id, &refused), Fact::RefundRefused { .. }), "{id}");
    }
    assert!(
        both.keys
            .notification(ChannelId::Alipay, &refused, Tamper::None, NOW)
            .is_err()
    );
}

#[test]
fn another_amount_currency_or_merchant_is_signed_well() {
    let both = both();
    for id in ChannelId::ALL {
        let of = |tamper| match both.told(id, &paid(), tamper).unwrap().fact {
            Fact::Paid(fact) => fact,
            other => panic!("{id}: {other:?}"),
        };
        assert_eq!(of(Tamper::Amount).amount_fen, 19_899, "{id}");
        assert_eq!(of(Tamper::Currency).currency, "USD", "{id}");
        for tamper in [Tamper::Merchant, Tamper::App] {
            assert_ne!(of(tamper).merchant, both.channel(id).merchant(), "{id}");
        }
    }
}

#[test]
fn each_broken_envelope_is_refused_for_its_own_reason() {
    let both = both();
    let wechat = |tamper| both.told(ChannelId::Wechat, &paid(), tamper).unwrap_err();
    assert_eq!(wechat(Tamper::Signature), Rejected::Signature);
    assert_eq!(wechat(Tamper::OtherKey), Rejected::Signature);
    assert_eq!(wechat(Tamper::UnknownKey), Rejected::UnknownKey);
    assert_eq!(wechat(Tamper::Probe), Rejected::Probe);
    assert_eq!(wechat(Tamper::Timestamp), Rejected::Window);
    assert_eq!(wechat(Tamper::MissingHeader), Rejected::Malformed);
    assert_eq!(wechat(Tamper::Ciphertext), Rejected::Decryption);
    for id in [ChannelId::Alipay, ChannelId::Webhook] {
        let refused = |tamper| both.told(id, &paid(), tamper).unwrap_err();
        for tamper in [
            Tamper::Signature,
            Tamper::OtherKey,
            Tamper::UnknownKey,
            Tamper::Probe,
            Tamper::Ciphertext,
        ] {
            assert_eq!(refused(tamper), Rejected::Signature, "{id} {tamper:?}");
        }
        assert_eq!(refused(Tamper::MissingHeader), Rejected::Malformed, "{id}");
    }
    assert_eq!(
        both.told(ChannelId::Webhook, &paid(), Tamper::Timestamp).unwrap_err(),
        Rejected::Window
    );
    // Alipay's protocol has no window.
    assert!(both.told(ChannelId::Alipay, &paid(), Tamper::Timestamp).is_ok());
}

#[test]
fn a_chinese_subject_is_signed_in_the_forms_own_charset() {
    let both = both();
    let what = What {
        charset: Charset::Gbk,
        subject: "龙井茶 a b+c%26&d=e".to_owned(),
        ..paid()
    };
    let request = both
        .keys
        .notification(ChannelId::Alipay, &what, Tamper::None, NOW)
        .unwrap();
    let body = String::from_utf8(request.body).unwrap();
    assert!(body.contains("charset=gbk"), "{body}");
    assert!(body.contains("subject=%C1%FA%BE%AE%B2%E8"), "GBK, not UTF-8: {body}");
    assert!(both.told(ChannelId::Alipay, &what, Tamper::None).is_ok());
}

#[test]
fn every_attempt_is_signed_anew_under_the_same_number() {
    let both = both();
    for id in [ChannelId::Wechat, ChannelId::Webhook] {
        let at = |now| {
            both.keys
                .notification(id, &paid_with("11", id), Tamper::None, now)
                .unwrap()
        };
        let (first, second) = (at(NOW), at(NOW + 15_000));
        assert_ne!(first.headers, second.headers, "{id}");
        let number = |request: &SignedRequest| {
            let now = NOW + 10_000;
            both.channel(id)
                .verify(&request.header_map(), &request.body, now)
                .unwrap()
                .id
        };
        assert_eq!(number(&first), number(&second), "{id}");
    }
}

fn paid_with(notice: &str, id: ChannelId) -> What {
    What {
        notice_id: format!("{notice}-{id}"),
        ..paid()
    }
}
