//! What is not the provider's is answered 4xx, says nothing of why, leaves no trace, and keeps no genuine notification out.

use crate::support::{
    client::{Client, Reply},
    on_both_databases,
    payment::{PENCIL_FEN, Provider, assert_acknowledged},
    services::{Postgres, Redis},
    shop::{Backend, Place, Shop},
};
use reqwest::Method;
use serde_json::{Value, json};
use server::{
    channels::ChannelId,
    sandbox::sign::{Charset, SignedRequest, Signer, Tamper, What},
};
use std::collections::HashSet;

on_both_databases!(
    a_forged_callback_leaves_no_trace_and_keeps_no_genuine_one_out,
    only_a_callback_pays_an_order,
);

async fn a_forged_callback_leaves_no_trace_and_keeps_no_genuine_one_out(backend: Backend) {
    let redis = (backend == Backend::PostgresAndRedis).then(Redis::own);
    let place = match &redis {
        Some(redis) => Place::on(Some(Postgres::shared().new_database().await), Some(redis.url())),
        None => Place::new(backend).await,
    };
    let shop = place.open().await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    let mut waiting = Vec::new();
    for channel in ChannelId::ALL {
        let (order_no, payment_no) = client.demo_waiting(&format!("forged-{channel}"), channel).await;
        let what = provider.paid(&payment_no, &format!("T-{order_no}"), PENCIL_FEN);
        waiting.push((channel, order_no, what));
    }
    place.wait_until_relayed().await;
    let before = traces(&place, &shop, redis.as_ref()).await;
    for (channel, _, what) in &waiting {
        let mut answers = HashSet::new();
        for (wrong, request) in forgeries(&provider, *channel, what) {
            let reply = provider.send_signed(&shop.url, *channel, request).await;
            assert_eq!(reply.status, 401, "{channel}, {wrong}: {}", reply.body);
            answers.insert((reply.header("content-type").to_owned(), reply.body));
        }
        assert_eq!(answers.len(), 1, "every forgery gets the same answer: {answers:?}");
        assert_not_taken_at_all(&client, &provider, *channel, what).await;
    }
    assert_eq!(traces(&place, &shop, redis.as_ref()).await, before);
    for (channel, order_no, what) in &waiting {
        assert_eq!(place.status_of(order_no).await, "WAIT_PAY");
        assert_acknowledged(*channel, &provider.send(&shop.url, *channel, what).await);
        place.assert_paid_once(order_no).await;
    }
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

/// Rows of every table and keys of Redis, once nothing is under way.
async fn traces(
    place: &Place,
    shop: &Shop<'_>,
    redis: Option<&Redis>,
) -> (std::collections::BTreeMap<String, i64>, Option<i64>) {
    let tasks = &shop.running.executor.tasks;
    tasks.close();
    tasks.wait().await;
    tasks.reopen();
    let keys = match redis {
        Some(redis) => Some(redis.keys().await),
        None => None,
    };
    (place.row_counts().await, keys)
}

/// Everything that cannot be the provider's, each with what is wrong with it.
fn forgeries(provider: &Provider, channel: ChannelId, what: &What) -> Vec<(String, SignedRequest)> {
    let genuine = || provider.signed(channel, what, Tamper::None);
    let mut forgeries = Vec::new();
    for tamper in [
        Tamper::Signature,
        Tamper::Timestamp,
        Tamper::Probe,
        Tamper::Ciphertext,
        Tamper::OtherKey,
        Tamper::UnknownKey,
        Tamper::MissingHeader,
    ] {
        // Alipay's protocol has no time window: an old notice is as good as a new one.
        if (channel, tamper) != (ChannelId::Alipay, Tamper::Timestamp) {
            forgeries.push((format!("{tamper:?}"), provider.signed(channel, what, tamper)));
        }
    }
    let length = genuine().body.len();
    for position in (0..length).step_by(29).chain([length - 1]) {
        let mut request = genuine();
        request.body[position] ^= 1;
        forgeries.push((format!("byte {position} is another"), request));
    }
    for header in 1..genuine().headers.len() {
        let mut request = genuine();
        let (name, value) = &mut request.headers[header];
        // The last characters of Base64 are padding, which no key has signed; those in the middle are all signature.
        let middle = value.len() / 2;
        let changed: String = value
            .chars()
            .enumerate()
            .map(|(index, character)| match character {
                '0' if index == middle => '1',
                _ if index == middle => '0',
                other => other,
            })
            .collect();
        let wrong = format!("{name} is another");
        *value = changed;
        forgeries.push((wrong, request));
        let mut request = genuine();
        let (name, _) = request.headers.remove(header);
        // What it leaves out is what it says already: there is one kind of signature.
        if name != "wechatpay-signature-type" {
            forgeries.push((format!("{name} is missing"), request));
        }
    }
    let random: Vec<u8> = std::iter::repeat_with(|| *uuid::Uuid::new_v4().as_bytes())
        .take(64)
        .flatten()
        .collect();
    for (wrong, body) in [
        ("an empty body", Vec::new()),
        ("random bytes", random),
        ("unsigned JSON", unsigned(what)),
        ("deep nesting", b"[".repeat(10_000)),
    ] {
        let mut signed_otherwise = genuine();
        signed_otherwise.body.clone_from(&body);
        forgeries.push((format!("{wrong} under a signature"), signed_otherwise));
        let headers = vec![("content-type", "application/json".to_owned())];
        forgeries.push((format!("{wrong} without a signature"), SignedRequest { headers, body }));
    }
    for (number, request) in signed_nonsense(provider, channel, what).into_iter().enumerate() {
        forgeries.push((format!("signed nonsense {number}"), request));
    }
    forgeries
}

fn unsigned(what: &What) -> Vec<u8> {
    let data = json!({
        "payment_no": what.payment_no, "out_trade_no": what.payment_no, "transaction_id": what.transaction_id,
        "amount_fen": what.amount_fen, "currency": what.currency, "trade_state": "SUCCESS",
    });
    let event = json!({ "type": "payment.succeeded", "event_type": "TRANSACTION.SUCCESS", "data": data });
    event.to_string().into_bytes()
}

/// Signed by the provider's own keys, and still no notification.
fn signed_nonsense(provider: &Provider, channel: ChannelId, what: &What) -> Vec<SignedRequest> {
    let (keys, now) = (provider.keys(), provider.now());
    match channel {
        ChannelId::Wechat => {
            let sealed = |plain: &Value| {
                let resource = keys.seal_wechat(plain.to_string().as_bytes(), "transaction").unwrap();
                json!({ "event_type": "TRANSACTION.SUCCESS", "resource": resource }).to_string()
            };
            let paid = json!({ "trade_state": "SUCCESS", "out_trade_no": what.payment_no });
            let mut part_of_a_fen = paid.clone();
            part_of_a_fen["transaction_id"] = "T".into();
            part_of_a_fen["amount"] = json!({ "total": 3.5, "currency": "CNY" });
            let bodies = [
                String::new(),
                "{}".to_owned(),
                String::from_utf8(unsigned(what)).unwrap(),
                sealed(&json!({})),
                sealed(&paid),
                sealed(&part_of_a_fen),
            ];
            bodies
                .map(|body| keys.sign_wechat(body.as_bytes(), Signer::PublicKey, now).unwrap())
                .to_vec()
        }
        ChannelId::Alipay => {
            let number = ("out_trade_no", what.payment_no.clone());
            let kind = ("sign_type", "RSA2".to_owned());
            let state = ("trade_status", "TRADE_SUCCESS".to_owned());
            let money = ("trade_no", what.transaction_id.clone());
            let amount = |amount: &str| ("total_amount", amount.to_owned());
            let charset = ("charset", "utf-7".to_owned());
            let forms = [
                vec![number.clone(), kind.clone(), state.clone(), money.clone()],
                vec![number.clone(), kind.clone(), state.clone(), amount("0.03")],
                vec![
                    number.clone(),
                    kind.clone(),
                    state.clone(),
                    money.clone(),
                    amount("0.035"),
                ],
                vec![
                    number.clone(),
                    kind.clone(),
                    state.clone(),
                    money.clone(),
                    amount("3e-2"),
                ],
                vec![number, kind, state, money, amount("0.03"), charset],
            ];
            let sign = |form: Vec<(&str, String)>| keys.sign_alipay(&form, Charset::Utf8).unwrap();
            forms.map(sign).to_vec()
        }
        ChannelId::Webhook => {
            let bodies = [
                "",
                "{}",
                "[]",
                r#"{"type":"payment.succeeded"}"#,
                r#"{"type":"payment.succeeded","data":{"merchant":"","payment_no":"P"}}"#,
                r#"{"type":"payment.succeeded","data":{"merchant":"m","payment_no":"P","amount_fen":"3","currency":"CNY"}}"#,
            ];
            bodies
                .map(|body| keys.sign_webhook("msg_1", body.as_bytes(), now).unwrap())
                .to_vec()
        }
    }
}

/// What is not even a callback: other methods, other channels, and more bytes than any notification has.
async fn assert_not_taken_at_all(client: &Client, provider: &Provider, channel: ChannelId, what: &What) {
    let genuine = || provider.signed(channel, what, Tamper::None);
    let send = async |method: Method, path: &str, request: SignedRequest| {
        let sent = client
            .request(method, path)
            .headers(request.header_map())
            .body(request.body);
        Reply::to(sent).await
    };
    let here = format!("/callbacks/{channel}");
    for method in [Method::GET, Method::HEAD, Method::PUT, Method::DELETE, Method::PATCH] {
        assert_eq!(send(method.clone(), &here, genuine()).await.status, 405, "{method}");
    }
    for elsewhere in [
        "/callbacks/",
        "/callbacks/cash",
        "/callbacks/WECHAT",
        "/callbacks/%00",
        "/callbacks/wechat/more",
    ] {
        assert_eq!(
            send(Method::POST, elsewhere, genuine()).await.status,
            404,
            "{elsewhere}"
        );
    }
    let mut large = genuine();
    large.body.resize(64 * 1024 + 1, b' ');
    let refused = send(Method::POST, &here, large).await;
    assert_eq!(
        (refused.status.as_u16(), refused.problem().as_str()),
        (413, "request-too-large")
    );
}

/// The buyer's way back, a page of the order, a form: whatever is not signed by the provider moves no money and names no amount.
async fn only_a_callback_pays_an_order(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.api_token().await;
    let order_no = client
        .place(&token, &crate::support::client::one_pencil())
        .await
        .order_no();
    let pay = async |body: Value| {
        let request = client.request(Method::POST, &format!("/api/orders/{order_no}/payments"));
        Reply::to(request.json(&body)).await
    };
    for member in ["amount", "amount_fen", "total", "currency", "payment_no"] {
        let mut body = json!({ "channel": "alipay" });
        body[member] = 1.into();
        assert_eq!(pay(body).await.status, 400, "{member}");
    }
    let begun = pay(json!({ "channel": "alipay" })).await;
    assert_eq!(begun.status, 201, "{}", begun.body);
    let by_form = client.request(Method::POST, &format!("/orders/{order_no}/payments"));
    let by_form = Reply::to(by_form.form(&[("channel", "webhook"), ("amount", "0.01"), ("amount_fen", "1")])).await;
    assert_eq!(by_form.status, 303, "{}", by_form.body);
    let priced = "SELECT COUNT(*) FROM payment WHERE order_no = $1 AND amount_fen = 3";
    assert_eq!(place.number_of(priced, &order_no).await, 2);
    let payment_no = begun.json()["payment_no"].as_str().unwrap().to_owned();
    let claims = [
        ("status", "PAID"),
        ("trade_status", "TRADE_SUCCESS"),
        ("out_trade_no", payment_no.as_str()),
        ("total_amount", "0.03"),
        ("trade_no", "T-1"),
        ("success", "1"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    for path in [
        "",
        "/orders",
        &format!("/orders/{order_no}"),
        &format!("/api/orders/{order_no}"),
    ] {
        assert_eq!(client.get_with(path, &claims).await.status, 200, "{path}");
    }
    for channel in ChannelId::ALL {
        let path = format!("/callbacks/{channel}");
        assert_eq!(client.get_with(&path, &claims).await.status, 405);
        assert_eq!(
            Reply::to(client.request(Method::POST, &path).form(&claims))
                .await
                .status,
            401
        );
    }
    assert_eq!(place.status_of(&order_no).await, "WAIT_PAY");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signature_probe_is_refused_and_counted_as_one() {
    let place = Place::new(Backend::Sqlite).await;
    let shop = place.spawn(&[]);
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    let (order_no, payment_no) = client.demo_waiting("probed", ChannelId::Wechat).await;
    let what = provider.paid(&payment_no, "T-1", PENCIL_FEN);
    for (tamper, times) in [(Tamper::Probe, 3), (Tamper::Signature, 2), (Tamper::None, 1)] {
        for _ in 0..times {
            let reply = provider
                .send_tampered(&shop.url, ChannelId::Wechat, &what, tamper)
                .await;
            assert_eq!(reply.status.is_success(), tamper == Tamper::None, "{tamper:?}");
        }
    }
    let metrics = client.get("/metrics").await.body;
    for (outcome, times) in [("probe", 3), ("signature", 2), ("accepted", 1)] {
        let line = format!("oncemart_callbacks_total{{channel=\"wechat\",outcome=\"{outcome}\"}} {times}");
        assert!(metrics.lines().any(|shown| shown == line), "{line} in {metrics}");
    }
    place.assert_paid_once(&order_no).await;
}
