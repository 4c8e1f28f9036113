//! What an operator sees: whether the shop can serve, and a log that knows nobody's name.

use crate::support::{
    client::{Client, Reply, form, one_pencil, order},
    on_both_databases,
    page::cookies_set,
    services::{Postgres, Redis},
    shop::{Backend, Place},
};
use reqwest::Method;
use serde_json::json;
use std::fs::{self, File};

on_both_databases!(
    a_healthy_shop_is_live_and_ready,
    the_log_knows_neither_names_nor_addresses_nor_tokens,
);

async fn a_healthy_shop_is_live_and_ready(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let live = client.get("/health/live").await;
    assert_eq!((live.status.as_u16(), live.json()), (200, json!({ "status": "live" })));
    let ready = client.get("/health/ready").await;
    let redis = match backend {
        Backend::Sqlite => "not configured",
        Backend::PostgresAndRedis => "up",
    };
    assert_eq!(ready.status, 200);
    assert_eq!(
        ready.json(),
        json!({ "status": "ready", "parts": { "database": "up", "redis": redis } })
    );
    assert_eq!(ready.header("cache-control"), "no-store");
}

#[tokio::test(flavor = "multi_thread")]
async fn readiness_says_which_part_is_away() {
    let (mut postgres, mut redis) = (Postgres::own(), Redis::own());
    let place = Place::on(Some(postgres.new_database().await), Some(redis.url()));
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let ready = async || {
        let reply = client.get("/health/ready").await;
        let body = reply.json();
        let part = |name: &str| body["parts"][name].as_str().unwrap_or("").to_owned();
        let status = body["status"].as_str().unwrap_or("").to_owned();
        (reply.status.as_u16(), status, part("database"), part("redis"))
    };
    let state = |code: u16, words: [&str; 3]| {
        let [status, database, redis] = words.map(str::to_owned);
        (code, status, database, redis)
    };
    assert_eq!(ready().await, state(200, ["ready", "up", "up"]));
    redis.stop();
    assert_eq!(ready().await, state(200, ["degraded", "up", "away"]));
    client.place_as_demo("degraded", &one_pencil()).await.order_no();
    postgres.stop_immediately();
    assert_eq!(ready().await, state(503, ["away", "away", "away"]));
    assert_eq!(
        client.get("/health/live").await.status,
        200,
        "the process itself is well"
    );
    postgres.start();
    assert_eq!(ready().await, state(200, ["degraded", "up", "away"]));
}

async fn the_log_knows_neither_names_nor_addresses_nor_tokens(backend: Backend) {
    let place = Place::new(backend).await;
    let file = place.directory().join("log");
    let shop = place.spawn_logging(
        &["--api-clients=shop=bearer-secret"],
        "debug",
        File::create(&file).expect("a file"),
    );
    let client = Client::new(&shop.url);
    let page = client.load_form("SKU-1").await;
    let session = cookies_set(&page).into_iter().next().expect("a session").1;
    let token = client.form_token("SKU-1").await;
    let personal = [
        ("name", "Wilhelmina Quux"),
        ("phone", "13912345678"),
        ("address", "Nowhere Lane 77"),
        ("note", "the key is under the mat"),
    ];
    let mut body = order(&[("SKU-10", 1)]);
    let mut fields = form(&token, &[("SKU-1", 1)]);
    for (name, value) in personal {
        body[name] = json!(value);
        fields
            .iter_mut()
            .filter(|(field, _)| field == name)
            .for_each(|(_, field)| value.clone_into(field));
    }
    let keyed = |key: &str, body: &serde_json::Value| {
        let request = client.request(Method::POST, "/api/orders").bearer_auth("bearer-secret");
        Reply::to(request.header("idempotency-key", key).json(body))
    };
    // Accepted, replayed, reused, refused, invalid, forged: every way in which a line might want to say more.
    assert_eq!(keyed("client-key-1", &body).await.status, 201);
    assert_eq!(keyed("client-key-1", &body).await.status, 201);
    let mut more = body.clone();
    more["items"][0]["qty"] = json!(11);
    assert_eq!(keyed("client-key-1", &more).await.status, 422);
    assert_eq!(keyed("client-key-2", &more).await.status, 409);
    more["items"][0]["qty"] = json!("x");
    assert_eq!(keyed("client-key-3", &more).await.status, 422);
    assert_eq!(client.post_form("SKU-1", &fields).await.status, 303);
    assert_eq!(client.post_form("SKU-1", &fields).await.status, 303);
    fields[0].1.push('x');
    assert_eq!(client.post_form("SKU-1", &fields).await.status, 403);
    assert_eq!(client.get_with("/order/new", &fields).await.status, 200);
    let log = fs::read_to_string(&file).expect("a log");
    assert!(log.contains("a key was used again"), "the log is this shop's: {log}");
    assert!(
        log.contains("path=\"/api/orders\"") || log.contains("path=/api/orders"),
        "{log}"
    );
    let secrets = [
        token.as_str(),
        session.as_str(),
        "bearer-secret",
        "Wilhelmina",
        "Nowhere",
        "client-key",
    ];
    for secret in personal.map(|(_, value)| value).iter().chain(&secrets) {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret}");
    }
}
