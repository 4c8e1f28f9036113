//! What every answer carries, and where unknown addresses and the language switch lead.

use crate::support::{
    client::{Client, Reply, form, one_pencil},
    on_both_databases,
    page::message,
    shop::{Backend, Place},
};
use reqwest::Method;
use std::collections::HashSet;

on_both_databases!(
    every_kind_of_answer_carries_the_security_headers,
    a_pages_scripts_carry_a_nonce_that_no_other_load_has,
    an_unknown_address_is_a_page_or_a_problem,
    the_chosen_language_is_remembered,
    the_language_switch_leads_to_no_other_site,
);

/// The site's plain files as the sources have them; the built ones need not be there.
const SITE: &str = concat!("--site-root=", env!("CARGO_MANIFEST_DIR"), "/../public");

async fn every_kind_of_answer_carries_the_security_headers(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[SITE]).await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    let get = |path: &str| client.request(Method::GET, path);
    let post = |path: &str| client.request(Method::POST, path);
    let requests = [
        (200, get("/")),
        (200, get("/order/new?sku=SKU-1")),
        (200, get("/orders")),
        (200, get("/problems")),
        (200, get("/favicon.svg")),
        (200, get("/api/products")),
        (200, get("/health/live")),
        (303, post("/order/new?sku=SKU-1").form(&form(&token, &[("SKU-1", 1)]))),
        (200, client.session_order(&token, &one_pencil())),
        (303, post("/language").form(&[("language", "en")])),
        (404, get("/nothing")),
        (404, get("/pkg/nothing.js")),
        (404, get("/api/nothing")),
        (404, post("/nothing")),
        (405, client.request(Method::PUT, "/orders")),
        (405, client.request(Method::PUT, "/api/orders")),
        (403, post("/language").header("sec-fetch-site", "cross-site")),
        (400, post("/api/orders").json(&one_pencil())),
        (415, post("/order/new?sku=SKU-1").body("x")),
    ];
    for (status, request) in requests {
        let reply = Reply::to(request).await;
        // 201 stands for the replay of what the form placed.
        let status = if reply.status == 201 { 201 } else { status };
        assert_eq!(reply.status, status, "{}", reply.body);
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(reply.header(name), value, "{status}: {}", reply.body);
        }
        let policy = reply.header("content-security-policy");
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(
            !policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"),
            "{policy}"
        );
        assert!(!reply.header("x-request-id").is_empty());
        assert!(reply.headers.get("server").is_none());
    }
}

async fn a_pages_scripts_carry_a_nonce_that_no_other_load_has(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    client.form_token("SKU-1").await;
    let mut nonces = HashSet::new();
    for _ in 0..3 {
        for path in ["/", "/order/new?sku=SKU-1", "/nothing"] {
            let page = client.get(path).await;
            let policy = page.header("content-security-policy");
            let nonce = policy
                .split_once("script-src 'nonce-")
                .and_then(|(_, rest)| rest.split_once('\''))
                .expect("a nonce")
                .0;
            assert!(nonce.len() >= 22, "{nonce}");
            for script in page.body.split("<script").skip(1) {
                let tag = script.split('>').next().expect("a tag's end");
                assert!(tag.contains(&format!("nonce=\"{nonce}\"")), "{tag}");
            }
            // The form is the one page that wants a script.
            assert_eq!(
                page.body.contains("<script"),
                path.starts_with("/order/new"),
                "{}",
                page.body
            );
            nonces.insert(nonce.to_owned());
        }
    }
    assert_eq!(nonces.len(), 9);
}

async fn an_unknown_address_is_a_page_or_a_problem(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[SITE]).await;
    let client = Client::new(&shop.url);
    for method in [Method::GET, Method::POST, Method::DELETE] {
        for path in ["/nothing", "/orders/x/y", "/pkg/nothing.wasm", "/pictures", "/.env"] {
            let page = Reply::to(client.request(method.clone(), path)).await;
            assert_eq!(
                (page.status.as_u16(), message(&page.body).as_str()),
                (404, "not-found"),
                "{method} {path}"
            );
            assert!(page.header("content-type").starts_with("text/html"));
            assert_eq!(page.header("cache-control"), "no-store", "{path} may be there tomorrow");
        }
        for path in ["/api/nothing", "/api/orders/x/y", "/health/nothing"] {
            let reply = Reply::to(client.request(method.clone(), path)).await;
            assert_eq!(
                (reply.status.as_u16(), reply.problem().as_str()),
                (404, "not-found"),
                "{method} {path}"
            );
        }
    }
    for path in ["/", "/orders", "/orders/OM-0000-0000-0000", "/problems"] {
        let page = Reply::to(client.request(Method::PUT, path)).await;
        assert_eq!(
            (page.status.as_u16(), page.header("allow")),
            (405, "GET,HEAD"),
            "{path}"
        );
        assert!(page.header("content-type").starts_with("text/html"));
    }
}

/// The language that a page says it is in.
fn language_of(page: &Reply) -> &str {
    let (_, rest) = page.body.split_once("<html lang=\"").expect("a language");
    &rest[..2]
}

async fn the_chosen_language_is_remembered(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let get = |path: &str, accept: &str| Reply::to(client.request(Method::GET, path).header("accept-language", accept));
    let page = get("/", "zh-CN,zh;q=0.9,en;q=0.8").await;
    assert_eq!(language_of(&page), "zh");
    assert!(page.header("vary").contains("Accept-Language") && page.header("vary").contains("Cookie"));
    assert_eq!(language_of(&get("/", "fr").await), "en");
    for (language, accept) in [("zh", "en"), ("en", "zh")] {
        let switch = client
            .request(Method::POST, "/language")
            .form(&[("language", language), ("return_to", "/order/new?sku=SKU-1")]);
        let switched = Reply::to(switch).await;
        assert_eq!(
            (switched.status.as_u16(), switched.header("location")),
            (303, "/order/new?sku=SKU-1")
        );
        for path in ["/", "/orders", "/nothing", "/problems"] {
            assert_eq!(language_of(&get(path, accept).await), language, "{path}");
        }
    }
    for language in ["fr", "", "zh; Path=/x", "<script>"] {
        let request = client
            .request(Method::POST, "/language")
            .form(&[("language", language)]);
        let reply = Reply::to(request).await;
        assert_eq!((reply.status.as_u16(), reply.header("location")), (303, "/"));
        assert!(
            reply.headers.get("set-cookie").is_none(),
            "{language} is not remembered"
        );
    }
}

async fn the_language_switch_leads_to_no_other_site(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    for target in [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "///evil.example",
        "javascript:alert(1)",
        "/\t/evil.example",
        "/\n/evil.example",
        " //evil.example",
        "evil",
        "/a\r\nset-cookie: x=y",
        "/键",
    ] {
        let request = client
            .request(Method::POST, "/language")
            .form(&[("language", "en"), ("return_to", target)]);
        let reply = Reply::to(request).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("location")),
            (303, "/"),
            "{target:?}"
        );
    }
}
