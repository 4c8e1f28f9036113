//! Texts: what cannot be stored is refused by name, what people are called is kept as it is, and nothing typed becomes markup.

use crate::support::{
    client::{Client, Reply, form, one_pencil},
    on_both_databases,
    page::{field, text_of},
    raw,
    shop::{Backend, Place},
};
use reqwest::Method;
use serde_json::json;

on_both_databases!(
    characters_that_cannot_be_kept_are_refused_with_their_field,
    bytes_that_are_no_text_are_refused_wherever_they_stand,
    real_names_and_emoji_are_kept_and_shown_unchanged,
    lengths_are_counted_in_characters,
    markup_in_any_field_is_inert_wherever_it_is_shown,
    markup_in_an_address_is_inert,
);

const KEY: [(&str, &str); 2] = [("authorization", "Bearer demo"), ("idempotency-key", "text")];
const FORM: &str = "application/x-www-form-urlencoded";

async fn characters_that_cannot_be_kept_are_refused_with_their_field(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    let marks = format!("a{}", "\u{301}".repeat(10_000));
    for text in [
        "a\u{0}b",
        "\u{1b}[31m",
        "a\u{7f}",
        "a\u{85}b",
        "a\u{202e}b",
        "a\u{2066}b",
        "a\u{2028}b",
        &marks,
    ] {
        for name in ["name", "phone", "address", "note", "coupon"] {
            let mut body = one_pencil();
            body[name] = json!(text);
            let reply = client.place_as_demo("text", &body).await;
            assert_eq!(
                (reply.status.as_u16(), &reply.json()["errors"][0]["field"]),
                (422, &json!(name)),
                "{text:?}"
            );
            let mut fields = form(&token, &[("SKU-1", 1)]);
            fields
                .iter_mut()
                .filter(|(field, _)| field == name)
                .for_each(|(_, value)| text.clone_into(value));
            let page = client.post_form("SKU-1", &fields).await;
            assert_eq!(page.status, 422, "{name} {text:?}");
            assert!(page.body.contains(&format!("id=\"{name}-error\"")), "{name} {text:?}");
            assert_eq!(field(&page.body, "submit_token"), token);
        }
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM idempotent_record").await, 0);
}

async fn bytes_that_are_no_text_are_refused_wherever_they_stand(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    let text = one_pencil().to_string();
    for name in ["\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\\x41\"", "\"a\tb\"", "\"a"] {
        let reply = client
            .post_raw(&KEY, "application/json", text.replace("\"张三\"", name))
            .await;
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (400, "malformed-request"),
            "{name}"
        );
    }
    let mut bytes = text.into_bytes();
    bytes.splice(9..9, [0xff, 0xfe]);
    assert_eq!(client.post_raw(&KEY, "application/json", bytes).await.status, 400);
    for bytes in ["%FF", "%ED%A0%80", "%C0%80", "%F8%88%80%80%80"] {
        for name in ["name", "address", "submit_token", "sku", "qty", "coupon", "other"] {
            let body = format!("sku=SKU-1&qty=1&phone=13800000000&{name}={bytes}");
            assert_eq!(client.post_raw(&KEY, FORM, body).await.status, 400, "{name}={bytes}");
        }
    }
    let no_address = [
        "/order/new?sku=%00",
        "/order/new?sku=%FF",
        "/order/new?sku=SKU-1&sku=SKU-1",
        "/order/new?sku=",
        "/order/new",
        "/order/waiting?sku=%FF",
        "/orders/%00",
        "/orders/%FF",
        "/orders/%2e%2e%2f",
        "/problems/%FF",
        "/problems/%00",
        "/%FF",
        "/%00",
        "/pkg/%00",
        "/pkg/..%2f..%2fCargo.toml",
        "/api/orders/%00",
        "/api/orders/%FF",
    ];
    for path in no_address {
        assert_eq!(client.get(path).await.status, 404, "{path}");
    }
    for (name, value) in [
        ("cookie", "oncemart_session=%FF; =; ;;"),
        ("cookie", "a"),
        ("accept-language", "\u{e9}"),
        ("accept-language", "*;q=x,,"),
        ("host", "a b"),
        ("x-request-id", "\u{e9}"),
    ] {
        let reply = Reply::to(client.request(Method::GET, "/").header(name, value)).await;
        assert!(reply.status.as_u16() < 500, "{name}: {value}: {}", reply.status);
    }
    client.place(&token, &one_pencil()).await.order_no();
}

async fn real_names_and_emoji_are_kept_and_shown_unchanged(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    for (number, name) in [
        "O'Brien",
        "Álvaro Gómez",
        "𠮷野家",
        "Nguyễn",
        "Nguye\u{302}\u{303}n",
        "🤞🏼",
        "👨\u{200d}👩\u{200d}👧",
        "李",
        "null",
        "undefined",
        "张三（收）",
        "محمد",
        "a & b < c > d",
        "l'Atlantique \" \\",
        "%41+%42",
        "NaN",
        "-1",
    ]
    .iter()
    .enumerate()
    {
        let token = client.form_token("SKU-1").await;
        let mut fields = form(&token, &[("SKU-1", 1)]);
        for (field, value) in &mut fields {
            if matches!(field.as_str(), "name" | "address" | "note") {
                (*name).clone_into(value);
            }
        }
        let placed = client.post_form("SKU-1", &fields).await;
        assert_eq!(placed.status, 303, "{name}: {}", placed.body);
        let page = client.get(placed.header("location")).await.body;
        for id in ["receiver-name", "receiver-address", "receiver-note"] {
            assert_eq!(text_of(&page, id), *name);
        }
        let stored = place
            .text("SELECT name FROM orders ORDER BY created_at DESC, order_no LIMIT 1")
            .await;
        assert_eq!(stored, *name);
        let mut body = one_pencil();
        for field in ["name", "address", "note"] {
            body[field] = json!(name);
        }
        let again = client.place(&token, &body).await;
        assert_eq!(
            again.header("location"),
            placed.header("location"),
            "{name} by the API too"
        );
        assert_eq!(place.orders().await, i64::try_from(number).expect("a small number") + 1);
    }
}

async fn lengths_are_counted_in_characters(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    for (name, maximum) in [("name", 64), ("address", 200), ("note", 500)] {
        for letter in ["a", "李", "𠮷"] {
            let key = format!("{name}-{letter}").replace(['李', '𠮷'], if letter == "李" { "b" } else { "c" });
            let mut body = one_pencil();
            body[name] = json!(letter.repeat(maximum + 1));
            let reply = client.place_as_demo(&key, &body).await;
            let error = &reply.json()["errors"][0];
            assert_eq!(
                (&error["code"], &error["maximum"]),
                (&json!("too-long"), &json!(maximum)),
                "{name} {letter}"
            );
            body[name] = json!(letter.repeat(maximum));
            client.place_as_demo(&key, &body).await.order_no();
        }
    }
}

const MARKUP: [&str; 6] = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "\"><svg onload=alert(1)>",
    "'-alert(1)-'",
    "javascript:alert(1)",
    "</title></textarea><b>x",
];

/// What must not stand in a page as it was typed.
fn assert_inert(page: &str, text: &str) {
    if text.contains('<') {
        assert!(!page.contains(text), "{text} stands raw in {page}");
    }
    for raw in ["<img src=x", "<script>alert", "<svg onload", "<b>x"] {
        assert!(!page.contains(raw), "{raw} in {page}");
    }
    for attribute in ["href", "action", "src"] {
        assert!(!page.contains(&format!("{attribute}=\"javascript:")), "{page}");
    }
}

async fn markup_in_any_field_is_inert_wherever_it_is_shown(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    for text in MARKUP {
        let token = client.form_token("SKU-1").await;
        // Every field of the form, the lines' own too, comes back as it was typed, and as nothing else.
        let mut fields = form(&token, &[("SKU-1", 1), ("SKU-2", 1)]);
        for (name, value) in &mut fields {
            if name != "submit_token" && value != "SKU-1" {
                text.clone_into(value);
            }
        }
        let page = client.post_form("SKU-1", &fields).await;
        assert_eq!(page.status, 422, "{}", page.body);
        assert_inert(&page.body, text);
        for name in ["name", "phone", "address", "note", "coupon", "qty"] {
            assert_eq!(field(&page.body, name), text, "{name}");
        }
        let mut forged = fields.clone();
        text.clone_into(&mut forged[0].1);
        forged.push(("edit".to_owned(), text.to_owned()));
        let page = client.post_form("SKU-1", &forged).await;
        assert_inert(&page.body, text);
        // In an accepted order it is shown on the order's page.
        let mut fields = form(&token, &[("SKU-1", 1)]);
        fields
            .iter_mut()
            .filter(|(name, _)| matches!(name.as_str(), "name" | "address" | "note"))
            .for_each(|(_, value)| text.clone_into(value));
        let placed = client.post_form("SKU-1", &fields).await;
        assert_eq!(placed.status, 303, "{}", placed.body);
        let page = client.get(placed.header("location")).await;
        assert_inert(&page.body, text);
        assert_eq!(text_of(&page.body, "receiver-name"), text);
        assert_inert(&client.get("/orders").await.body, text);
    }
}

async fn markup_in_an_address_is_inert(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    for text in MARKUP {
        for path in ["/order/new", "/order/waiting", "/orders", "/problems", "/nothing"] {
            let query = ["sku", "x"].map(|name| (name.to_owned(), text.to_owned()));
            assert_inert(&client.get_with(path, &query).await.body, text);
        }
    }
    // A browser escapes an address; something else may not.
    let answer = raw::stream(
        &shop.url,
        "GET /nothing?\"><svg/onload=alert(1)> HTTP/1.1\r\nhost: shop.example\r\n\r\n",
        Vec::new(),
        0,
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    assert!(!answer.contains("<svg"), "{answer}");
}
