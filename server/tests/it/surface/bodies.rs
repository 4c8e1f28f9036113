//! Bodies that no order has: too large, of another type, too deep. Each is refused so that the client can read why, and its key
//! stays free.

use crate::support::{
    client::{Client, form, one_pencil},
    on_both_databases,
    page::message,
    raw,
    shop::{Backend, Place},
};
use reqwest::Method;

on_both_databases!(
    a_body_over_the_limit_is_refused_readably_and_its_key_stays_free,
    a_client_that_streams_without_end_gets_to_read_its_refusal,
    a_client_that_asks_before_sending_is_refused_at_once,
    a_body_of_another_type_is_refused_and_its_key_stays_free,
    a_body_nested_ten_thousand_deep_is_refused,
    a_form_that_is_too_large_or_unreadable_is_answered_with_a_page,
);

const JSON: &str = "application/json";
const LIMIT: usize = 64 * 1024;
const KEY: [(&str, &str); 2] = [("authorization", "Bearer demo"), ("idempotency-key", "body")];
const RECORDS: &str = "SELECT COUNT(*) FROM idempotent_record";

/// A good order, padded with white space to a length.
fn padded(length: usize) -> String {
    let body = one_pencil().to_string();
    let padding = " ".repeat(length - body.len());
    body + &padding
}

async fn a_body_over_the_limit_is_refused_readably_and_its_key_stays_free(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    for length in [LIMIT + 1, 3 * 1024 * 1024] {
        let reply = client.post_raw(&KEY, JSON, padded(length)).await;
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (413, "request-too-large")
        );
        assert_eq!(reply.json()["maximum"], LIMIT);
    }
    assert_eq!(place.number(RECORDS).await, 0);
    client.post_raw(&KEY, JSON, padded(LIMIT)).await.order_no();
}

async fn a_client_that_streams_without_end_gets_to_read_its_refusal(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let megabyte = vec![b' '; 1024 * 1024];
    let hundred = raw::head("body", &["content-type: application/json", "content-length: 104857600"]);
    let announced = raw::stream(&shop.url, &hundred, megabyte.clone(), 100).await;
    // One chunk after another, more than anybody reads.
    let chunked = raw::head(
        "body",
        &["content-type: application/json", "transfer-encoding: chunked"],
    );
    let chunk = [b"100000\r\n".to_vec(), megabyte, b"\r\n".to_vec()].concat();
    let endless = raw::stream(&shop.url, &chunked, chunk, 4096).await;
    for answer in [announced, endless] {
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(answer.contains("/problems/request-too-large"), "{answer}");
    }
    Client::new(&shop.url)
        .place_as_demo("body", &one_pencil())
        .await
        .order_no();
}

async fn a_client_that_asks_before_sending_is_refused_at_once(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let head = raw::head(
        "body",
        &[
            "content-type: application/json",
            "content-length: 104857600",
            "expect: 100-continue",
        ],
    );
    let answer = raw::stream(&shop.url, &head, Vec::new(), 0).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

async fn a_body_of_another_type_is_refused_and_its_key_stays_free(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let body = one_pencil().to_string();
    for content_type in [
        "",
        "text/plain",
        "application/xml",
        "text/json",
        "application/json; charset=gbk",
        "application/jsonx",
        "json",
        "application/x-www-form-urlencoded; charset=gbk",
        "multipart/form-data; boundary=x",
        "*/*",
        "application/octet-stream",
    ] {
        let reply = client.post_raw(&KEY, content_type, body.clone()).await;
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (415, "unsupported-media-type"),
            "{content_type}"
        );
    }
    for encoding in ["gzip", "br", "deflate", "zstd", "gzip, identity"] {
        let headers = [KEY[0], KEY[1], ("content-encoding", encoding)];
        let reply = client.post_raw(&headers, JSON, body.clone()).await;
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (415, "unsupported-media-type"),
            "{encoding}"
        );
    }
    assert_eq!(place.number(RECORDS).await, 0);
    let mut numbers = std::collections::HashSet::new();
    for content_type in [
        JSON,
        "application/json; charset=utf-8",
        "Application/JSON;charset=\"UTF-8\"",
    ] {
        numbers.insert(client.post_raw(&KEY, content_type, body.clone()).await.order_no());
    }
    let headers = [KEY[0], KEY[1], ("content-encoding", "identity")];
    numbers.insert(client.post_raw(&headers, JSON, body).await.order_no());
    assert_eq!(numbers.len(), 1);
}

async fn a_body_nested_ten_thousand_deep_is_refused(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let (open, close) = ("[".repeat(10_000), "]".repeat(10_000));
    let objects = format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    for body in [
        format!("{open}{close}"),
        open.clone(),
        objects,
        format!("{{\"name\":{open}{close}}}"),
        format!("{{\"items\":{open}{close}}}"),
    ] {
        let reply = client.post_raw(&KEY, JSON, body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (400, "malformed-request"),
            "{}",
            reply.body
        );
        assert!(reply.body.len() < 1_000, "the answer does not repeat the body");
    }
    client.place_as_demo("body", &one_pencil()).await.order_no();
}

async fn a_form_that_is_too_large_or_unreadable_is_answered_with_a_page(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    let post = |content_type: &'static str, body: String| {
        let request = client
            .request(Method::POST, "/order/new?sku=SKU-1")
            .header("content-type", content_type)
            .body(body);
        crate::support::client::Reply::to(request)
    };
    let form_type = "application/x-www-form-urlencoded";
    let start = format!("submit_token={token}&sku=SKU-1&qty=1&name=a&phone=13800000000&address=b");
    for (content_type, body, status, says) in [
        (
            form_type,
            format!("{start}&note={}", "x".repeat(LIMIT)),
            413,
            "too-large",
        ),
        (form_type, format!("{start}&note=%FF"), 400, "bad-request"),
        (form_type, format!("{start}&name=b"), 400, "bad-request"),
        (form_type, format!("{start}&sku=SKU-2"), 400, "bad-request"),
        ("text/plain", start.clone(), 415, "bad-request"),
        ("application/json", one_pencil().to_string(), 415, "bad-request"),
    ] {
        let page = post(content_type, body).await;
        assert_eq!(
            (page.status.as_u16(), message(&page.body).as_str()),
            (status, says),
            "{content_type}"
        );
    }
    assert_eq!(place.number(RECORDS).await, 0);
    let placed = client.post_form("SKU-1", &form(&token, &[("SKU-1", 1)])).await;
    assert_eq!(placed.status, 303, "{}", placed.body);
}
