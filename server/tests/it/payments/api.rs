//! The API of what is done with a placed order: its answers, their repetition, and everybody who may not.

use super::cashier::{QUICK, demo_get, paid_order, problem, refund_body, ship};
use crate::support::{
    client::{Client, Reply, one_pencil},
    on_both_databases,
    payment::PENCIL_FEN,
    shop::{Backend, Place},
};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use server::channels::ChannelId;
use std::time::Duration;

on_both_databases!(
    each_step_answers_in_its_own_words_and_the_same_again,
    a_channel_that_is_not_there_takes_nothing,
    somebody_elses_order_takes_no_press,
    nothing_happens_by_another_method_or_from_another_site,
    a_body_of_another_kind_does_nothing,
    neither_an_amount_nor_a_look_at_the_way_back_pays_an_order,
    an_open_page_is_told_of_changes_and_lets_the_shop_close,
);

const MISSING: &str = "OM-0000-0000-0000";

/// Every step and a body that it takes.
fn steps() -> [(&'static str, Value); 4] {
    [
        ("payments", json!({ "channel": "webhook" })),
        ("cancel", Value::Null),
        ("refunds", refund_body("RF-API", 1)),
        ("receipt", Value::Null),
    ]
}

async fn each_step_answers_in_its_own_words_and_the_same_again(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[QUICK]).await;
    let client = Client::new(&shop.url);
    let cancelled = client.demo_pencil("cancelled").await;
    let order_no = client.demo_pencil("order").await;
    let not_yet = client.demo_post(&order_no, "receipt", None).await;
    assert_eq!(problem(&not_yet), (409, "order-not-receivable".to_owned()));
    let paid = paid_order(&client, "paid", &one_pencil(), ChannelId::Webhook, "none").await;
    ship(&shop, &paid).await;
    for (no, step, body, expected) in [
        (&order_no, "payments", Some(json!({ "channel": "webhook" })), 201),
        (&cancelled, "cancel", None, 200),
        (&paid, "receipt", None, 200),
        (&paid, "refunds", Some(refund_body("RF-API", 1)), 201),
    ] {
        let first = client.demo_post(no, step, body.as_ref()).await;
        assert_eq!(first.status, expected, "{step}: {}", first.body);
        assert_eq!(first.header("content-type"), "application/json");
        assert_eq!(first.header("location"), format!("/orders/{no}"));
        assert_eq!(first.header("cache-control"), "no-store");
        assert_eq!(first.header("idempotency-replayed"), "");
        for _ in 0..2 {
            let again = client.demo_post(no, step, body.as_ref()).await;
            assert_eq!((again.status, &again.body), (first.status, &first.body), "{step}");
            assert_eq!(again.header("location"), first.header("location"));
            assert_eq!(again.header("idempotency-replayed"), "true");
        }
        let told = first.json();
        match step {
            "payments" => {
                assert_eq!(told["payment_no"], format!("{no}-S1"));
                assert_eq!(told["action"]["type"], "redirect");
                assert!(told["action"]["url"].as_str().unwrap().starts_with(&shop.url));
            }
            "cancel" => assert_eq!(told, json!({ "order_no": no, "status": "CLOSED" })),
            "receipt" => assert_eq!(told, json!({ "order_no": no, "status": "COMPLETED" })),
            _ => assert_eq!(
                told,
                json!({ "refund_no": "RF-API", "order_no": no, "amount_fen": 1, "status": "ASKED" })
            ),
        }
    }
    let order = client
        .demo_wait(&paid, "a fen went back", |order| order["refunded_fen"] == 1)
        .await;
    assert_eq!(
        (&order["status"], &order["paid_fen"]),
        (&"COMPLETED".into(), &PENCIL_FEN.into())
    );
    let (payment, refund) = (&order["payments"][0], &order["refunds"][0]);
    assert_eq!(
        (&payment["channel"], &payment["amount_fen"]),
        (&"webhook".into(), &PENCIL_FEN.into())
    );
    assert_eq!(
        (&refund["refund_no"], &refund["reason"]),
        (&"RF-API".into(), &"a test".into())
    );
    assert_eq!(order["surplus"], json!([]));
    for (version, event) in (1..).zip(order["events"].as_array().unwrap()) {
        assert_eq!(event["version"], version);
    }
    place.assert_consistent().await;
}

async fn a_channel_that_is_not_there_takes_nothing(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&["--sandbox=false", "--api-clients=demo=demo"]).await;
    let client = Client::new(&shop.url);
    let order_no = client.demo_pencil("channels").await;
    for body in [
        json!({ "channel": "cash" }),
        json!({ "channel": "" }),
        json!({ "channel": 1 }),
        json!({}),
    ] {
        let reply = client.demo_post(&order_no, "payments", Some(&body)).await;
        assert_eq!(problem(&reply), (422, "invalid-fields".to_owned()), "{body}");
        assert_eq!(reply.json()["errors"][0]["field"], "channel");
    }
    for channel in ChannelId::ALL {
        let body = json!({ "channel": channel.as_str() });
        let reply = client.demo_post(&order_no, "payments", Some(&body)).await;
        assert_eq!(problem(&reply), (409, "channel-not-available".to_owned()));
        assert_eq!(reply.header("retry-after"), "");
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM payment").await, 0);
    assert_eq!(place.number("SELECT version FROM orders").await, 1);
}

async fn somebody_elses_order_takes_no_press(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (owner, stranger, nobody) = (
        Client::new(&shop.url),
        Client::new(&shop.url),
        Client::without_cookies(&shop.url),
    );
    stranger.api_token().await;
    let of_session = owner.place(&owner.api_token().await, &one_pencil()).await.order_no();
    let of_client = owner.demo_pencil("own").await;
    let unlike: fn(&Reply) -> (u16, String, String) = |reply| {
        let kind = reply.header("content-type").to_owned();
        (reply.status.as_u16(), kind, reply.body.clone())
    };
    for (who, bearer, order_no) in [
        (&stranger, "", &of_session),
        (&nobody, "", &of_session),
        (&owner, "demo", &of_session),
        (&owner, "", &of_client),
        (&nobody, "", &of_client),
    ] {
        for (step, body) in steps() {
            let post = |order_no: &str| {
                let request = who.request(Method::POST, &format!("/api/orders/{order_no}/{step}"));
                let request = if body.is_null() { request } else { request.json(&body) };
                Reply::to(if bearer.is_empty() {
                    request
                } else {
                    request.bearer_auth(bearer)
                })
            };
            let theirs = post(order_no).await;
            assert_eq!(problem(&theirs), (404, "not-found".to_owned()), "{step}");
            for missing in [MISSING, "OM-1", "..%2F.."] {
                assert_eq!(unlike(&theirs), unlike(&post(missing).await), "{step} {missing}");
            }
        }
    }
    for who in [&stranger, &nobody] {
        let changes = who.get(&format!("/orders/{of_session}/changes")).await;
        assert_eq!(changes.status, 404);
        for step in ["payments", "cancel", "refunds", "receipt"] {
            let fields = [("channel", "webhook"), ("refund_no", "RF"), ("amount", "0.01")];
            let request = who.request(Method::POST, &format!("/orders/{of_session}/{step}"));
            assert_eq!(Reply::to(request.form(&fields)).await.status, 404, "{step}");
        }
    }
    let forged = owner.request(Method::POST, &format!("/api/orders/{of_client}/cancel"));
    let forged = Reply::to(forged.bearer_auth("guessed")).await;
    assert_eq!(problem(&forged), (401, "unauthorized".to_owned()));
    assert_eq!(place.number("SELECT CAST(SUM(version) AS BIGINT) FROM orders").await, 2);
    assert_eq!(place.number("SELECT COUNT(*) FROM payment").await, 0);
}

async fn nothing_happens_by_another_method_or_from_another_site(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let order_no = client.place(&client.api_token().await, &one_pencil()).await.order_no();
    for (step, body) in steps() {
        for path in [
            format!("/api/orders/{order_no}/{step}"),
            format!("/orders/{order_no}/{step}"),
        ] {
            for method in [Method::GET, Method::HEAD, Method::PUT, Method::DELETE, Method::PATCH] {
                let request = client.request(method.clone(), &path).header("sec-purpose", "prefetch");
                let reply = Reply::to(request.json(&body)).await;
                assert_eq!(
                    (reply.status.as_u16(), reply.header("allow")),
                    (405, "POST"),
                    "{method} {path}"
                );
            }
            for (name, value) in [
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-site", "same-site"),
                ("origin", "https://evil.example"),
                ("origin", "null"),
            ] {
                for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/json"] {
                    let request = client.request(Method::POST, &path).header(name, value);
                    let request = request.header("content-type", content_type).body(body.to_string());
                    assert_eq!(Reply::to(request).await.status, 403, "{path} {name}: {value}");
                }
            }
        }
    }
    assert_eq!(place.number("SELECT version FROM orders").await, 1);
    assert_eq!(place.number("SELECT COUNT(*) FROM payment").await, 0);
    let own = client.request(Method::POST, &format!("/api/orders/{order_no}/cancel"));
    assert_eq!(Reply::to(own.header("origin", &shop.url)).await.status, 200);
}

async fn a_body_of_another_kind_does_nothing(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let order_no = client.place(&client.api_token().await, &one_pencil()).await.order_no();
    let post = |path: String, content_type: &'static str, body: String| {
        let request = client.request(Method::POST, &path).body(body);
        Reply::to(request.header("content-type", content_type))
    };
    for (step, body) in steps().into_iter().filter(|(_, body)| !body.is_null()) {
        let api = format!("/api/orders/{order_no}/{step}");
        for content_type in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/json; charset=gbk",
            "x",
        ] {
            let reply = post(api.clone(), content_type, body.to_string()).await;
            assert_eq!(
                problem(&reply),
                (415, "unsupported-media-type".to_owned()),
                "{content_type}"
            );
        }
        for text in [
            "",
            "{",
            "[]",
            "null",
            "{\"channel\":\"webhook\",\"channel\":\"wechat\"}",
        ] {
            let reply = post(api.clone(), "application/json", text.to_owned()).await;
            assert_eq!(problem(&reply), (400, "malformed-request".to_owned()), "{step} {text}");
        }
        let large = post(api, "application/json", " ".repeat(70_000)).await;
        assert_eq!(problem(&large), (413, "request-too-large".to_owned()));
        let page = post(
            format!("/orders/{order_no}/{step}"),
            "application/json",
            body.to_string(),
        )
        .await;
        assert_eq!(page.status, 415);
    }
    assert_eq!(place.number("SELECT version FROM orders").await, 1);
    assert_eq!(place.number("SELECT COUNT(*) FROM payment").await, 0);
}

async fn neither_an_amount_nor_a_look_at_the_way_back_pays_an_order(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let order_no = client.demo_pencil("dear").await;
    for member in ["amount", "amount_fen", "total_fen", "status"] {
        let body = json!({ "channel": "webhook", member: 1 });
        let reply = client.demo_post(&order_no, "payments", Some(&body)).await;
        assert_eq!(problem(&reply), (400, "malformed-request".to_owned()), "{member}");
    }
    client.demo_pay(&order_no, ChannelId::Webhook).await;
    client
        .get(&format!("/orders/{order_no}?status=PAID&trade_status=TRADE_SUCCESS"))
        .await;
    for channel in ChannelId::ALL {
        let path = format!("/callbacks/{channel}?out_trade_no={order_no}-S1&trade_status=TRADE_SUCCESS");
        assert_eq!(client.get(&path).await.status, 405);
        let unsigned = json!({ "type": "payment.succeeded", "payment_no": format!("{order_no}-S1"), "amount_fen": 3 });
        let reply = Reply::to(client.request(Method::POST, &path).json(&unsigned)).await;
        assert!(reply.status.is_client_error(), "{channel}: {}", reply.status);
    }
    let order = demo_get(&client, &format!("/api/orders/{order_no}")).await.json();
    assert_eq!((&order["status"], &order["paid_fen"]), (&"WAIT_PAY".into(), &0.into()));
    assert_eq!(order["payments"][0]["amount_fen"], PENCIL_FEN);
}

/// The next version that a stream tells; none at its end.
async fn next_version(stream: &mut Response) -> Option<i64> {
    loop {
        let chunk = tokio::time::timeout(Duration::from_secs(10), stream.chunk());
        let chunk = chunk.await.expect("a word in time").ok().flatten()?;
        let text = String::from_utf8(chunk.to_vec()).unwrap();
        if let Some(version) = text.trim().strip_prefix("data:") {
            return Some(version.trim().parse().unwrap());
        }
    }
}

async fn an_open_page_is_told_of_changes_and_lets_the_shop_close(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let order_no = client.place(&client.api_token().await, &one_pencil()).await.order_no();
    let path = format!("/orders/{order_no}/changes");
    let mut stream = client.request(Method::GET, &path).send().await.unwrap();
    assert_eq!(stream.status(), 200);
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    assert_eq!(stream.headers()["cache-control"], "no-store");
    assert_eq!(next_version(&mut stream).await, Some(1));
    let cancel = client.request(Method::POST, &format!("/api/orders/{order_no}/cancel"));
    assert_eq!(Reply::to(cancel).await.status, 200);
    assert_eq!(next_version(&mut stream).await, Some(2));
    // Another reader begins with where the order stands now.
    let mut late = client.request(Method::GET, &path).send().await.unwrap();
    assert_eq!(next_version(&mut late).await, Some(2));
    let closing = tokio::time::timeout(Duration::from_secs(5), shop.close());
    assert!(closing.await.is_ok(), "open streams hold no shop open");
    assert_eq!(next_version(&mut stream).await, None);
    assert_eq!(next_version(&mut late).await, None);
}
