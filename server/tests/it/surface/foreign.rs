//! Other people and other sites: somebody else's order is one that is not there, and no other site's page changes anything.

use crate::support::{
    client::{Client, Reply, form, one_pencil},
    on_both_databases,
    page::message,
    shop::{Backend, Place},
};
use reqwest::Method;
use std::collections::HashSet;

on_both_databases!(
    somebody_elses_order_looks_like_one_that_is_not_there,
    a_list_shows_only_ones_own_orders,
    an_order_number_leads_to_no_other,
    another_sites_page_changes_nothing,
    a_page_of_this_shop_may_write_by_whatever_name_it_was_reached,
    reading_methods_change_nothing_at_addresses_that_write,
    typed_input_in_an_address_orders_nothing,
);

const MISSING: &str = "OM-0000-0000-0000";

async fn somebody_elses_order_looks_like_one_that_is_not_there(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (owner, stranger) = (Client::new(&shop.url), Client::new(&shop.url));
    stranger.api_token().await;
    let of_session = owner.place(&owner.api_token().await, &one_pencil()).await.order_no();
    let of_client = owner.place_as_demo("own", &one_pencil()).await.order_no();
    let nobody = Client::without_cookies(&shop.url);
    let unlike: fn(Reply) -> (u16, String, String) = |reply| {
        (
            reply.status.as_u16(),
            reply.header("content-type").to_owned(),
            reply.body,
        )
    };
    let read = |client: &Client, path: String, bearer: bool| {
        let request = client.request(Method::GET, &path);
        Reply::to(if bearer { request.bearer_auth("demo") } else { request })
    };
    for (who, bearer, order_no) in [
        (&stranger, false, &of_session),
        (&nobody, false, &of_session),
        (&owner, true, &of_session),
        (&owner, false, &of_client),
        (&stranger, false, &of_client),
    ] {
        let theirs = unlike(read(who, format!("/api/orders/{order_no}"), bearer).await);
        let missing = unlike(read(who, format!("/api/orders/{MISSING}"), bearer).await);
        assert_eq!(theirs, missing);
        assert_eq!(theirs.0, 404);
    }
    for who in [&stranger, &nobody] {
        let theirs = who.get(&format!("/orders/{of_session}")).await;
        let missing = who.get(&format!("/orders/{MISSING}")).await;
        assert_eq!(
            (theirs.status.as_u16(), message(&theirs.body).as_str()),
            (404, "not-found")
        );
        assert_eq!((theirs.status, theirs.body.len()), (missing.status, missing.body.len()));
        let names = |reply: &Reply| -> Vec<String> { reply.headers.keys().map(ToString::to_string).collect() };
        assert_eq!(names(&theirs), names(&missing));
    }
    assert_eq!(owner.get(&format!("/api/orders/{of_session}")).await.status, 200);
    assert_eq!(
        read(&nobody, format!("/api/orders/{of_client}"), true).await.status,
        200
    );
}

async fn a_list_shows_only_ones_own_orders(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (first, second) = (Client::new(&shop.url), Client::new(&shop.url));
    let of_first = first.place(&first.api_token().await, &one_pencil()).await.order_no();
    let of_second = second.place(&second.api_token().await, &one_pencil()).await.order_no();
    let (page_of_first, page_of_second) = (first.get("/orders").await.body, second.get("/orders").await.body);
    assert!(page_of_first.contains(&of_first) && !page_of_first.contains(&of_second));
    assert!(page_of_second.contains(&of_second) && !page_of_second.contains(&of_first));
    let nobody = Client::without_cookies(&shop.url).get("/orders").await;
    assert!(
        nobody.status == 200 && nobody.body.contains("id=\"no-orders\""),
        "{}",
        nobody.body
    );
}

async fn an_order_number_leads_to_no_other(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let mut numbers = Vec::new();
    for key in 0..20 {
        numbers.push(
            client
                .place_as_demo(&format!("number-{key}"), &one_pencil())
                .await
                .order_no(),
        );
    }
    let (mut sorted, starts) = (
        numbers.clone(),
        numbers.iter().map(|number| &number[..7]).collect::<HashSet<_>>(),
    );
    sorted.sort();
    assert_ne!(sorted, numbers, "they do not grow");
    assert_eq!(starts.len(), 20, "they share no beginning: {starts:?}");
}

async fn another_sites_page_changes_nothing(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let ordered = client.form_token("SKU-2").await;
    client
        .place(&ordered, &crate::support::client::order(&[("SKU-2", 1)]))
        .await
        .order_no();
    let token = client.form_token("SKU-1").await;
    let fields = form(&token, &[("SKU-1", 1)]);
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1"),
        ("origin", "http://127.0.0.1:1"),
        ("origin", "file://"),
        ("origin", ""),
    ] {
        for (path, fields) in [
            ("/api/orders", fields.clone()),
            ("/order/new?sku=SKU-1", fields.clone()),
            (
                "/order/restart?sku=SKU-2",
                vec![("submit_token".to_owned(), ordered.clone())],
            ),
            ("/language", vec![("language".to_owned(), "zh".to_owned())]),
            ("/api/submit-tokens", Vec::new()),
        ] {
            let reply = Reply::to(client.request(Method::POST, path).header(name, value).form(&fields)).await;
            assert_eq!(reply.status, 403, "{path} with {name}: {value}");
            assert!(reply.headers.get("set-cookie").is_none());
            if path.starts_with("/api/") {
                assert_eq!(reply.problem(), "cross-site-request");
            } else {
                assert_eq!(message(&reply.body), "cross-site");
            }
        }
        // A simple form of another site may also call its body text.
        let text = client
            .request(Method::POST, "/api/orders")
            .header(name, value)
            .header("content-type", "text/plain")
            .body(one_pencil().to_string());
        assert_eq!(Reply::to(text).await.status, 403);
    }
    assert_eq!(place.orders().await, 1);
    assert_eq!(client.form_token("SKU-1").await, token);
    assert_eq!(client.form_token("SKU-2").await, ordered, "not restarted");
    client.place(&token, &one_pencil()).await.order_no();
}

async fn a_page_of_this_shop_may_write_by_whatever_name_it_was_reached(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&["--public-url=https://shop.example"]).await;
    let port = shop.url.rsplit(':').next().expect("a port");
    let client = Client::without_cookies(&shop.url);
    let mut keys = 0;
    for (host, origin) in [
        (format!("localhost:{port}"), format!("http://localhost:{port}")),
        (format!("LOCALHOST:{port}"), format!("http://localhost:{port}")),
        (format!("127.0.0.1:{port}"), format!("http://127.0.0.1:{port}")),
        (format!("[::1]:{port}"), format!("http://[::1]:{port}")),
        (format!("127.0.0.1:{port}"), "https://shop.example".to_owned()),
    ] {
        keys += 1;
        let request = client
            .demo_order(&format!("host-{keys}"), &one_pencil())
            .header("host", host)
            .header("origin", origin);
        Reply::to(request).await.order_no();
    }
    for site in ["same-origin", "none"] {
        let request = client.demo_order(site, &one_pencil()).header("sec-fetch-site", site);
        Reply::to(request).await.order_no();
    }
}

async fn reading_methods_change_nothing_at_addresses_that_write(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    client.place(&token, &one_pencil()).await.order_no();
    for method in [Method::GET, Method::HEAD, Method::PUT, Method::DELETE, Method::PATCH] {
        for path in [
            "/api/orders",
            "/api/submit-tokens",
            "/order/restart?sku=SKU-1",
            "/language",
        ] {
            let request = client
                .request(method.clone(), path)
                .header("x-submit-token", &token)
                .form(&[("submit_token", token.as_str()), ("language", "zh"), ("sku", "SKU-1")]);
            let reply = Reply::to(request).await;
            assert_eq!(
                (reply.status.as_u16(), reply.header("allow")),
                (405, "POST"),
                "{method} {path}"
            );
            assert!(reply.headers.get("set-cookie").is_none());
        }
    }
    assert_eq!(client.form_token("SKU-1").await, token, "not restarted");
    assert_eq!(place.orders().await, 1);
}

async fn typed_input_in_an_address_orders_nothing(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    let page = client.get_with("/order/new", &form(&token, &[("SKU-1", 1)])).await;
    assert_eq!(page.status, 200);
    assert!(
        !page.body.contains("13800000000"),
        "what an address says is not put into the page: {}",
        page.body
    );
    assert_eq!(place.orders().await, 0);
}
