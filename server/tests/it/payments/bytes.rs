//! The bytes that were signed are the bytes that count: a notification is accepted however its provider writes it.

use crate::support::{
    client::Client,
    on_both_databases,
    payment::{PENCIL_FEN, Provider, assert_acknowledged},
    shop::{Backend, Place},
};
use server::{
    channels::ChannelId,
    sandbox::sign::{Charset, SignedRequest, Signer, Tamper, What},
};

on_both_databases!(
    wechat_notifications_count_as_they_were_written,
    alipay_notices_count_as_they_were_encoded,
    webhook_events_count_as_they_were_written,
    wechats_public_key_and_certificate_are_accepted_side_by_side,
);

/// A way to write a notification.
type Writing<'a> = (&'a str, &'a dyn Fn(&Provider, &What) -> SignedRequest);

/// A new order for each way of writing; each must be paid by its own.
async fn assert_each_pays(backend: Backend, channel: ChannelId, writings: &[Writing<'_>]) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    for (number, (writing, write)) in writings.iter().enumerate() {
        let (order_no, payment_no) = client.demo_waiting(&format!("writing-{number}"), channel).await;
        let what = provider.paid(&payment_no, &format!("T-{order_no}"), PENCIL_FEN);
        let request = write(&provider, &what);
        let mut flipped = request.clone();
        let middle = flipped.body.len() / 2;
        flipped.body[middle] ^= 1;
        let refused = provider.send_signed(&shop.url, channel, flipped).await;
        assert_eq!(refused.status, 401, "{writing}, one byte changed: {}", refused.body);
        assert_eq!(place.status_of(&order_no).await, "WAIT_PAY", "{writing}");
        let reply = provider.send_signed(&shop.url, channel, request).await;
        assert!(reply.status.is_success(), "{writing}: {} {}", reply.status, reply.body);
        assert_acknowledged(channel, &reply);
        place.assert_paid_once(&order_no).await;
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM anomaly").await, 0);
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

/// A transaction of WeChat Pay with this text as its `attach` and this as its amount.
fn transaction(provider: &Provider, what: &What, attach: &str, amount: &str) -> String {
    let (names, number) = (&provider.keys().names, &what.payment_no);
    let (merchant, app, id) = (&names.wechat_merchant, &names.wechat_app, &what.transaction_id);
    format!(
        r#"{{"attach":"{attach}","amount":{amount},"trade_state":"SUCCESS","transaction_id":"{id}",
            "out_trade_no":"{number}","appid":"{app}","mchid":"{merchant}"}}"#
    )
}

/// A callback of WeChat Pay around a transaction; `envelope` writes it around the sealed resource.
fn wechat(provider: &Provider, plain: &str, envelope: impl Fn(&str) -> String) -> SignedRequest {
    let resource = provider.keys().seal_wechat(plain.as_bytes(), "transaction").unwrap();
    let body = envelope(&resource.to_string());
    provider
        .keys()
        .sign_wechat(body.as_bytes(), Signer::PublicKey, provider.now())
        .unwrap()
}

fn plain_envelope(resource: &str) -> String {
    format!(r#"{{"id":"E-1","event_type":"TRANSACTION.SUCCESS","resource":{resource}}}"#)
}

const FULL_PRICE: &str = r#"{"total":3,"payer_total":3,"currency":"CNY","payer_currency":"CNY"}"#;

async fn wechat_notifications_count_as_they_were_written(backend: Backend) {
    let around = |envelope: &'static dyn Fn(&str) -> String| {
        move |provider: &Provider, what: &What| wechat(provider, &transaction(provider, what, "", FULL_PRICE), envelope)
    };
    let attached = |attach: &'static str| {
        move |provider: &Provider, what: &What| {
            wechat(
                provider,
                &transaction(provider, what, attach, FULL_PRICE),
                plain_envelope,
            )
        }
    };
    let priced = |amount: &'static str| {
        move |provider: &Provider, what: &What| {
            wechat(provider, &transaction(provider, what, "", amount), plain_envelope)
        }
    };
    let spacing = around(&|resource| {
        format!(
            "\t{{ \"summary\" : \"支付成功\",\r\n  \"resource\":{resource} ,\n\"event_type\" :\"TRANSACTION.SUCCESS\" }}\n"
        )
    });
    let escapes = around(&|resource| {
        let event = r"\u0054RANSACTION.SUCCESS";
        format!(r#"{{"summary":"\u001B\u001b\/ü","id":"a\/b\u0000","event_type":"{event}","resource":{resource}}}"#)
    });
    let separators = around(&|resource| {
        format!(
            "{{\"summary\":\"\u{2028}\u{2029}🎉 é\u{feff}\",\"event_type\":\"TRANSACTION.SUCCESS\",\"resource\":{resource}}}\n\n"
        )
    });
    assert_each_pays(
        backend,
        ChannelId::Wechat,
        &[
            ("odd spacing, the summary first, a line end behind", &spacing),
            ("escapes in both cases", &escapes),
            ("line separators and emoji", &separators),
            ("NUL and controls attached", &attached(r"a\u0000b\u0001\u001f\u007f")),
            ("half a surrogate attached", &attached(r"\ud800")),
            ("emoji and a slash attached", &attached(r"🎉\/\u2028")),
            ("a decimal total", &priced(r#"{"total":3.0,"currency":"CNY"}"#)),
            (
                "the amount's members the other way round",
                &priced(r#"{"currency":"CNY","total":3.00,"payer_total":3}"#),
            ),
            (
                "a discount by WeChat Pay itself",
                &priced(r#"{"total":3,"payer_total":1,"currency":"CNY"}"#),
            ),
        ],
    )
    .await;
}

/// The fields of a paid notice.
fn fields(provider: &Provider, what: &What, subject: &str, charset: &str) -> Vec<(&'static str, String)> {
    let names = &provider.keys().names;
    [
        ("charset", charset),
        ("sign_type", "RSA2"),
        ("app_id", &names.alipay_app),
        ("seller_id", &names.alipay_seller),
        ("trade_status", "TRADE_SUCCESS"),
        ("trade_no", &what.transaction_id),
        ("out_trade_no", &what.payment_no),
        ("total_amount", "0.03"),
        ("subject", subject),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .to_vec()
}

async fn alipay_notices_count_as_they_were_encoded(backend: Backend) {
    const SUBJECT: &str = "a b+c%26%2B&d=1 中文 铁观音";
    let subject = |subject: &'static str, label: &'static str, charset: Charset| {
        move |provider: &Provider, what: &What| {
            provider
                .keys()
                .sign_alipay(&fields(provider, what, subject, label), charset)
                .unwrap()
        }
    };
    let amount = |amount: &'static str| {
        move |provider: &Provider, what: &What| {
            let mut fields = fields(provider, what, "", "utf-8");
            let total = fields.iter_mut().find(|(name, _)| *name == "total_amount").unwrap();
            amount.clone_into(&mut total.1);
            provider.keys().sign_alipay(&fields, Charset::Utf8).unwrap()
        }
    };
    let rewritten = |rewrite: &'static dyn Fn(String) -> String| {
        move |provider: &Provider, what: &What| {
            let fields = fields(provider, what, SUBJECT, "utf-8");
            let mut request = provider.keys().sign_alipay(&fields, Charset::Utf8).unwrap();
            request.body = rewrite(String::from_utf8(request.body).unwrap()).into_bytes();
            request
        }
    };
    let percent_spaces = rewritten(&|body| body.replace('+', "%20"));
    let lower_case = rewritten(&|body| body.replace("%2B", "%2b").replace("%E4", "%e4"));
    let other_order = rewritten(&|body| body.split('&').rev().collect::<Vec<_>>().join("&"));
    let other_type = |provider: &Provider, what: &What| {
        let mut request = provider.signed(ChannelId::Alipay, what, Tamper::None);
        request.headers = vec![("content-type", "text/html;charset=GBK".to_owned())];
        request
    };
    assert_each_pays(
        backend,
        ChannelId::Alipay,
        &[
            ("UTF-8", &subject(SUBJECT, "utf-8", Charset::Utf8)),
            (
                "UTF-8 in capitals, with emoji",
                &subject("🍵🎉", "UTF-8", Charset::Utf8),
            ),
            ("GBK", &subject(SUBJECT, "gbk", Charset::Gbk)),
            ("GBK in capitals", &subject("铁观音", "GBK", Charset::Gbk)),
            ("GB2312, which is part of GBK", &subject("中文", "GB2312", Charset::Gbk)),
            ("NUL and controls", &subject("a\0b\u{1}\u{1b}", "utf-8", Charset::Utf8)),
            ("spaces as %20", &percent_spaces),
            ("percent signs in lower case", &lower_case),
            ("fields in another order", &other_order),
            ("another media type", &other_type),
            ("an amount with a third decimal", &amount("0.030")),
        ],
    )
    .await;
}

/// A signature whose plus signs were not escaped reads as one with spaces: refused, never a 500.
#[tokio::test(flavor = "multi_thread")]
async fn an_alipay_signature_with_bare_plus_signs_fails_cleanly() {
    let place = Place::new(Backend::Sqlite).await;
    let shop = place.open().await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    let (order_no, payment_no) = client.demo_waiting("plus", ChannelId::Alipay).await;
    // Signatures differ with the number of the notice; nearly every one has a plus sign, and one is enough.
    let mut request = loop {
        let what = provider.paid(&payment_no, "T-1", PENCIL_FEN);
        let request = provider.signed(ChannelId::Alipay, &what, Tamper::None);
        if String::from_utf8_lossy(&request.body).contains("%2B") {
            break request;
        }
    };
    request.body = String::from_utf8(request.body)
        .unwrap()
        .replace("%2B", "+")
        .into_bytes();
    let reply = provider.send_signed(&shop.url, ChannelId::Alipay, request).await;
    assert_eq!((reply.status.as_u16(), reply.body.as_str()), (401, "fail"));
    assert_eq!(place.status_of(&order_no).await, "WAIT_PAY");
}

async fn webhook_events_count_as_they_were_written(backend: Backend) {
    let written = |write: &'static dyn Fn(&str) -> String, media_type: &'static str| {
        move |provider: &Provider, what: &What| {
            let (merchant, number) = (&provider.keys().names.webhook_merchant, &what.payment_no);
            let id = &what.transaction_id;
            let body = write(&format!(
                r#""merchant":"{merchant}","payment_no":"{number}","transaction_id":"{id}","currency":"CNY""#
            ));
            let signed = provider.keys().sign_webhook("msg_1", body.as_bytes(), provider.now());
            let mut request = signed.unwrap();
            request.headers.retain(|(name, _)| *name != "content-type");
            if !media_type.is_empty() {
                request.headers.push(("content-type", media_type.to_owned()));
            }
            request
        }
    };
    let plain = |data: &str| format!(r#"{{"type":"payment.succeeded","data":{{{data},"amount_fen":3}}}}"#);
    let emoji = |data: &str| {
        format!("{{\"data\":{{\"note\":\"🎉 é\u{2028}\",\"amount_fen\":3.0,{data}}},\"type\":\"payment.succeeded\"}}")
    };
    let escapes = |data: &str| {
        format!(
            "\r\n{{ \"note\" : \"\\u001B\\u001b\\/\\u0000\\ud83c\\udf89\" , \"type\":\"payment\\u002esucceeded\",\n\
             \"data\" : {{ \"amount_fen\" : 3 , {data} }} }}\n"
        )
    };
    assert_each_pays(
        backend,
        ChannelId::Webhook,
        &[
            (
                "emoji, data first, a decimal amount",
                &written(Box::leak(Box::new(emoji)), "application/json"),
            ),
            (
                "escapes, odd spacing, a line end behind",
                &written(Box::leak(Box::new(escapes)), "application/json"),
            ),
            (
                "sent as a form",
                &written(Box::leak(Box::new(plain)), "application/x-www-form-urlencoded"),
            ),
            (
                "sent as text in another charset",
                &written(Box::leak(Box::new(emoji)), "text/plain; charset=us-ascii"),
            ),
            ("sent without a type", &written(Box::leak(Box::new(emoji)), "")),
        ],
    )
    .await;
}

async fn wechats_public_key_and_certificate_are_accepted_side_by_side(backend: Backend) {
    let signed_by = |signer: Signer, serial: &'static dyn Fn(&str) -> String| {
        move |provider: &Provider, what: &What| {
            let mut what = what.clone();
            what.signer = signer;
            let mut request = provider.signed(ChannelId::Wechat, &what, Tamper::None);
            for (_, value) in request
                .headers
                .iter_mut()
                .filter(|(name, _)| *name == "wechatpay-serial")
            {
                *value = serial(value);
            }
            request
        }
    };
    assert_each_pays(
        backend,
        ChannelId::Wechat,
        &[
            ("the public key", &signed_by(Signer::PublicKey, &str::to_owned)),
            ("the certificate", &signed_by(Signer::Certificate, &str::to_owned)),
            // A certificate's serial is a number: its spelling does not matter.
            (
                "its serial in lower case",
                &signed_by(Signer::Certificate, &str::to_ascii_lowercase),
            ),
            (
                "its serial with zeros in front",
                &signed_by(Signer::Certificate, &|serial| format!("00{serial}")),
            ),
        ],
    )
    .await;
}
