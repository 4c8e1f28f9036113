//! The key of a request: where it may stand, what it may look like, whose it is.

use crate::support::{
    client::{Client, Reply, form, one_pencil},
    on_both_databases,
    shop::{Backend, Place},
};
use reqwest::Method;

on_both_databases!(
    a_request_without_a_key_is_refused_and_none_is_made_up,
    different_keys_are_refused_and_both_can_still_be_used,
    a_key_header_given_twice_is_refused_and_its_keys_can_still_be_used,
    a_malformed_key_is_refused_before_anything_is_touched,
    the_longest_and_the_oddest_permitted_keys_work,
    a_session_cannot_bring_a_key_of_its_own,
    the_quoted_and_the_bare_form_are_one_key,
    every_place_for_a_key_means_the_same_key,
    the_same_text_as_a_key_of_two_callers_is_two_keys,
    an_unknown_bearer_token_is_told_to_authenticate,
);

const RECORDS: &str = "SELECT COUNT(*) FROM idempotent_record";

/// A request without a key, from an API client.
fn keyless(client: &Client) -> reqwest::RequestBuilder {
    client
        .request(Method::POST, "/api/orders")
        .bearer_auth("demo")
        .json(&one_pencil())
}

async fn a_request_without_a_key_is_refused_and_none_is_made_up(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    client.api_token().await;
    let without_field: Vec<_> = form("", &[("SKU-1", 1)]).into_iter().skip(1).collect();
    let requests = [
        keyless(&client),
        client.request(Method::POST, "/api/orders").json(&one_pencil()),
        client
            .request(Method::POST, "/api/orders")
            .bearer_auth("demo")
            .form(&without_field),
        Client::without_cookies(&shop.url)
            .request(Method::POST, "/api/orders")
            .json(&one_pencil()),
    ];
    for request in requests {
        let reply = Reply::to(request).await;
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (400, "missing-key"),
            "{}",
            reply.body
        );
    }
    assert_eq!((place.orders().await, place.number(RECORDS).await), (0, 0));
}

async fn different_keys_are_refused_and_both_can_still_be_used(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let (first, second) = (client.api_token().await, client.api_token().await);
    let fields = form(&second, &[("SKU-1", 1)]);
    let post = || client.request(Method::POST, "/api/orders");
    let requests = [
        post()
            .header("x-submit-token", &first)
            .header("idempotency-key", &second)
            .json(&one_pencil()),
        post().header("x-submit-token", &first).form(&fields),
        post().header("idempotency-key", &first).form(&fields),
        post()
            .header("idempotency-key", &first)
            .header("x-submit-token", &first)
            .form(&fields),
    ];
    for request in requests {
        let reply = Reply::to(request).await;
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (400, "key-mismatch"),
            "{}",
            reply.body
        );
    }
    assert_eq!(place.number(RECORDS).await, 0);
    client.place(&first, &one_pencil()).await.order_no();
    client.place(&second, &one_pencil()).await.order_no();
    assert_eq!(place.orders().await, 2);
}

async fn a_key_header_given_twice_is_refused_and_its_keys_can_still_be_used(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    for (values, problem) in [
        (&["T1", "T2"][..], "key-mismatch"),
        (&["T1", "T1"], "key-mismatch"),
        (&["T1, T2"], "malformed-key"),
        (&["\"T1\", \"T2\""], "malformed-key"),
        (&["T1,T2"], "malformed-key"),
    ] {
        for name in ["idempotency-key", "x-submit-token"] {
            let request = values
                .iter()
                .fold(keyless(&client), |request, value| request.header(name, *value));
            let reply = Reply::to(request).await;
            assert_eq!(
                (reply.status.as_u16(), reply.problem().as_str()),
                (400, problem),
                "{name}: {values:?}"
            );
        }
    }
    let twice = format!(
        "submit_token=T1&submit_token=T2&{}",
        "sku=SKU-1&qty=1&name=a&phone=13800000000&address=b"
    );
    let reply = client
        .post_raw(
            &[("authorization", "Bearer demo")],
            "application/x-www-form-urlencoded",
            twice,
        )
        .await;
    assert_eq!(reply.status, 400, "{}", reply.body);
    assert_eq!(place.number(RECORDS).await, 0);
    for key in ["T1", "T2"] {
        client.place_as_demo(key, &one_pencil()).await.order_no();
    }
}

async fn a_malformed_key_is_refused_before_anything_is_touched(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let (too_long, huge) = ("k".repeat(129), "k".repeat(8_000));
    let quoted_too_long = format!("\"{too_long}\"");
    for key in [
        "",
        "   ",
        "a b",
        "a\tb",
        "\"",
        "\"\"",
        "\"  \"",
        "\"a\"b",
        "\"a",
        "'a b'",
        "键",
        "\"键\"",
        "a;b",
        "a\\b",
        "１",
        "\u{7f}",
        &too_long,
        &quoted_too_long,
        &huge,
    ] {
        let value = reqwest::header::HeaderValue::from_bytes(key.as_bytes());
        if let Ok(value) = value {
            for name in ["idempotency-key", "x-submit-token"] {
                let reply = Reply::to(keyless(&client).header(name, value.clone())).await;
                assert_eq!(
                    (reply.status.as_u16(), reply.problem().as_str()),
                    (400, "malformed-key"),
                    "{name}: {key}"
                );
            }
        }
        let field = client
            .request(Method::POST, "/api/orders")
            .bearer_auth("demo")
            .form(&form(key, &[("SKU-1", 1)]));
        let reply = Reply::to(field).await;
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (400, "malformed-key"),
            "field: {key}"
        );
    }
    assert_eq!((place.orders().await, place.number(RECORDS).await), (0, 0));
}

async fn the_longest_and_the_oddest_permitted_keys_work(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let longest = "k".repeat(128);
    let keys = [
        longest.as_str(),
        "../../x",
        "%00",
        "a:b*",
        "'--",
        "{}",
        "$1",
        "a/b?c#d",
        "session:x",
    ];
    for key in keys {
        let first = client.place_as_demo(key, &one_pencil()).await;
        first.order_no();
        assert_eq!(client.place_as_demo(key, &one_pencil()).await.body, first.body, "{key}");
    }
    assert_eq!(place.orders().await, i64::try_from(keys.len()).expect("a small number"));
    // Two long keys that differ at their very end are two keys.
    let mut other = longest.clone();
    other.replace_range(127.., "l");
    client.place_as_demo(&other, &one_pencil()).await.order_no();
    assert_eq!(
        place.orders().await,
        i64::try_from(keys.len()).expect("a small number") + 1
    );
}

async fn a_session_cannot_bring_a_key_of_its_own(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    client.api_token().await;
    let post = || client.request(Method::POST, "/api/orders");
    for key in [
        "my-key",
        "0190f2f0-7b7e-7c3c-8000-000000000000",
        "a:b*",
        "../../x",
        "%00",
    ] {
        for request in [
            post().header("x-submit-token", key).json(&one_pencil()),
            post().header("idempotency-key", key).json(&one_pencil()),
            post().form(&form(key, &[("SKU-1", 1)])),
        ] {
            let reply = Reply::to(request).await;
            assert_eq!(
                (reply.status.as_u16(), reply.problem().as_str()),
                (403, "unknown-token"),
                "{key}"
            );
        }
    }
    assert_eq!((place.orders().await, place.number(RECORDS).await), (0, 0));
}

async fn the_quoted_and_the_bare_form_are_one_key(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let body = one_pencil();
    let (bare, quoted) = tokio::join!(
        client.place_as_demo("one", &body),
        client.place_as_demo("\"one\"", &body)
    );
    assert_eq!(bare.order_no(), quoted.order_no());
    assert_eq!(client.place_as_demo("\"one\";v=1", &body).await.body, bare.body);
    assert_eq!(place.orders().await, 1);
    // A session's token too may stand in quotes.
    let token = client.api_token().await;
    let quoted = client
        .request(Method::POST, "/api/orders")
        .header("idempotency-key", format!("\"{token}\""))
        .json(&body);
    let placed = Reply::to(quoted).await;
    placed.order_no();
    assert_eq!(client.place(&token, &body).await.body, placed.body);
}

async fn every_place_for_a_key_means_the_same_key(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.api_token().await;
    let fields = form(&token, &[("SKU-1", 1)]);
    let post = || client.request(Method::POST, "/api/orders");
    let requests = [
        post().header("x-submit-token", &token).json(&one_pencil()),
        post().header("idempotency-key", &token).json(&one_pencil()),
        post().form(&fields),
        post()
            .header("x-submit-token", &token)
            .header("idempotency-key", format!("\"{token}\""))
            .form(&fields),
    ];
    let replies = futures::future::join_all(requests.map(Reply::to)).await;
    for reply in &replies {
        assert_eq!(reply.order_no(), replies[0].order_no());
    }
    assert_eq!(place.orders().await, 1);
}

async fn the_same_text_as_a_key_of_two_callers_is_two_keys(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&["--api-clients=other=secret"]).await;
    let client = Client::new(&shop.url);
    let token = client.api_token().await;
    let by_session = client.place(&token, &one_pencil()).await;
    let by_demo = client.place_as_demo(&token, &one_pencil()).await;
    let by_other = client.session_order(&token, &one_pencil()).bearer_auth("secret");
    let by_other = Reply::to(by_other).await;
    let numbers: std::collections::HashSet<_> = [&by_session, &by_demo, &by_other].map(Reply::order_no).into();
    assert_eq!(numbers.len(), 3, "each has an order of their own");
    // Each replays their own, and each may say something else without touching the others'.
    assert_eq!(client.place(&token, &one_pencil()).await.body, by_session.body);
    assert_eq!(client.place_as_demo(&token, &one_pencil()).await.body, by_demo.body);
    // Somebody whose name and key run together like another's name and key is still somebody else.
    assert_eq!(place.orders().await, 3);
}

async fn an_unknown_bearer_token_is_told_to_authenticate(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.api_token().await;
    for values in [
        &["Bearer wrong"][..],
        &["Bearer"],
        &["Bearer "],
        &["demo"],
        &["Basic ZGVtbzpkZW1v"],
        &["Bearer demo, Bearer demo"],
        &["Bearer demo", "Bearer demo"],
        &["Bearer demo\u{e9}"],
    ] {
        // A good token of the session beside it does not help: who authenticates is judged by that.
        let post = client.session_order(&token, &one_pencil());
        let read = client.request(Method::GET, "/api/orders/OM-0000-0000-0000");
        for request in [post, read] {
            let request = values
                .iter()
                .fold(request, |request, value| request.header("authorization", *value));
            let reply = Reply::to(request).await;
            assert_eq!(
                (reply.status.as_u16(), reply.problem().as_str()),
                (401, "unauthorized"),
                "{values:?}"
            );
            assert_eq!(reply.header("www-authenticate"), "Bearer");
        }
    }
    assert_eq!((place.orders().await, place.number(RECORDS).await), (0, 0));
    let lower_case = client
        .session_order("a-key", &one_pencil())
        .header("authorization", "bearer demo");
    Reply::to(lower_case).await.order_no();
}
