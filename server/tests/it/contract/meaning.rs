//! What a request means: the shape that claims nothing when it is wrong, and the digest that says which requests are the same.

use crate::support::{
    client::{Client, Reply, form, one_pencil, order},
    on_both_databases,
    shop::{Backend, Place},
};
use reqwest::Method;
use serde_json::{Value, json};

on_both_databases!(
    an_invalid_shape_names_every_field_and_claims_nothing,
    an_empty_body_neither_claims_nor_disturbs_a_key,
    another_way_of_writing_the_same_body_is_a_replay,
    line_order_and_split_lines_do_not_count,
    a_quantity_that_is_no_whole_number_is_refused_and_never_rounded,
    the_expected_total_is_a_condition_and_no_part_of_the_meaning,
    a_form_and_a_json_body_mean_the_same,
    composed_and_decomposed_letters_mean_the_same,
    every_field_of_the_order_is_part_of_its_meaning,
    a_replay_is_not_disturbed_by_what_changed_since,
    a_name_given_twice_or_unknown_is_refused,
);

const RECORDS: &str = "SELECT COUNT(*) FROM idempotent_record";
const JSON: &str = "application/json";

/// Posts a text as the API client `demo`.
async fn post_text(client: &Client, key: &str, body: &str) -> Reply {
    let headers = [("authorization", "Bearer demo"), ("idempotency-key", key)];
    client.post_raw(&headers, JSON, body.to_owned()).await
}

fn with(name: &str, value: Value) -> Value {
    let mut body = one_pencil();
    body[name] = value;
    body
}

async fn an_invalid_shape_names_every_field_and_claims_nothing(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.api_token().await;
    let wrong = json!({
        "items": [{ "sku": "sku one", "qty": 1 }, { "sku": "SKU-1", "qty": 0 }, { "qty": 1 }],
        "name": "  ", "phone": "call me", "address": "a".repeat(201), "note": "a\u{0}b", "coupon": 7,
        "expected_total_fen": -1,
    });
    let by_demo = client.place_as_demo("shape", &wrong).await;
    let by_session = client.place(&token, &wrong).await;
    for reply in [by_demo, by_session] {
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (422, "invalid-fields")
        );
        let errors = reply.json()["errors"].as_array().expect("a list").clone();
        let text = |error: &Value, name: &str| error[name].as_str().unwrap_or("").to_owned();
        let named: Vec<_> = errors
            .iter()
            .map(|error| (text(error, "pointer"), text(error, "code")))
            .collect();
        let named: Vec<_> = named
            .iter()
            .map(|(pointer, code)| (pointer.as_str(), code.as_str()))
            .collect();
        assert_eq!(
            named,
            [
                ("/items/0/sku", "not-a-sku"),
                ("/items/1/qty", "not-a-quantity"),
                ("/items/2/sku", "required"),
                ("/coupon", "not-a-text"),
                ("/name", "required"),
                ("/phone", "not-a-phone-number"),
                ("/address", "too-long"),
                ("/note", "forbidden-character"),
                ("/expected_total_fen", "not-an-amount"),
            ]
        );
        assert!(errors.iter().all(|error| !text(error, "detail").is_empty()));
    }
    assert_eq!(place.number(RECORDS).await, 0, "no key is claimed");
    client.place_as_demo("shape", &one_pencil()).await.order_no();
    client.place(&token, &one_pencil()).await.order_no();
}

async fn an_empty_body_neither_claims_nor_disturbs_a_key(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let mut first = None;
    for round in 0..2 {
        for body in ["", " ", "{}", "null"] {
            let reply = post_text(&client, "drained", body).await;
            assert!(matches!(reply.status.as_u16(), 400 | 422), "{body}: {}", reply.body);
            assert_eq!(place.number(RECORDS).await, round);
        }
        let headers = [("authorization", "Bearer demo"), ("idempotency-key", "drained")];
        let without_type = client.post_raw(&headers, "", "").await;
        assert_eq!(without_type.status, 400, "{}", without_type.body);
        let placed = client.place_as_demo("drained", &one_pencil()).await;
        let first: &Reply = first.get_or_insert_with(|| placed.clone());
        assert_eq!(placed.body, first.body);
    }
    assert_eq!(place.orders().await, 1);
}

async fn another_way_of_writing_the_same_body_is_a_replay(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let first = client.place_as_demo("spelling", &one_pencil()).await;
    first.order_no();
    for other in [
        r#"{"address":"北京市1号","phone":"13800000000","name":"张三","items":[{"qty":1,"sku":"SKU-1"}]}"#,
        "\t{\n  \"items\" : [ { \"sku\" : \"SKU-1\" , \"qty\" : 1 } ] ,\r\n \"name\":\"张三\",\"phone\":\"13800000000\",\"address\":\"北京市1号\"}\n",
        r#"{"items":[{"sku":"SKU\u002d1","qty":1}],"name":"\u5f20\u4e09","phone":"13800000000","address":"\u5317京市1号"}"#,
        r#"{"items":[{"sku":"SKU-1","qty":1}],"name":" 张三 ","phone":"13800000000","address":"北京市1号","note":null,"coupon":""}"#,
    ] {
        let again = post_text(&client, "spelling", other).await;
        assert_eq!(
            (again.header("idempotency-replayed"), &again.body),
            ("true", &first.body),
            "{other}"
        );
    }
    let slash = with("address", json!("a/b"));
    let first = client.place_as_demo("slash", &slash).await;
    let escaped = slash.to_string().replace("a/b", "a\\/b");
    assert_eq!(post_text(&client, "slash", &escaped).await.body, first.body);
    assert_eq!(place.orders().await, 2);
}

async fn line_order_and_split_lines_do_not_count(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let first = client
        .place_as_demo("lines", &order(&[("SKU-1", 3), ("SKU-2", 2)]))
        .await;
    first.order_no();
    for lines in [
        &[("SKU-2", 2), ("SKU-1", 3)][..],
        &[("SKU-1", 1), ("SKU-2", 1), ("SKU-1", 2), ("SKU-2", 1)],
    ] {
        assert_eq!(client.place_as_demo("lines", &order(lines)).await.body, first.body);
    }
    let other = client
        .place_as_demo("lines", &order(&[("SKU-1", 2), ("SKU-2", 3)]))
        .await;
    assert_eq!(other.problem(), "key-reused");
    // The maximum holds for the sum too.
    let much = client
        .place_as_demo("much", &order(&[("SKU-1", 50), ("SKU-1", 50)]))
        .await;
    assert_eq!(much.status, 422, "{}", much.body);
    place.assert_consistent().await;
}

async fn a_quantity_that_is_no_whole_number_is_refused_and_never_rounded(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let first = client.place_as_demo("whole", &one_pencil()).await;
    let text = one_pencil().to_string();
    for quantity in [
        "1.0", "1e0", "\"1\"", "1.4", "01", "+1", "1.", "0x1", "true", "null", "[1]", "1e400",
    ] {
        let body = text.replace("\"qty\":1", &format!("\"qty\":{quantity}"));
        assert_ne!(body, text);
        for key in ["whole", "fresh"] {
            let reply = post_text(&client, key, &body).await;
            assert!(matches!(reply.status.as_u16(), 400 | 422), "{quantity}: {}", reply.body);
        }
    }
    assert_eq!(client.place_as_demo("whole", &one_pencil()).await.body, first.body);
    assert_eq!(place.orders().await, 1);
}

async fn the_expected_total_is_a_condition_and_no_part_of_the_meaning(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let expecting = |fen: i64| with("expected_total_fen", json!(fen));
    let refused = client.place_as_demo("expect", &expecting(2)).await;
    assert_eq!(
        (refused.status.as_u16(), refused.problem().as_str()),
        (409, "price-changed")
    );
    assert_eq!(
        (refused.header("retry-after"), &refused.json()["total_fen"]),
        ("", &json!(3))
    );
    assert_eq!(place.orders().await, 0);
    let first = client.place_as_demo("expect", &expecting(3)).await;
    first.order_no();
    for body in [one_pencil(), expecting(2), expecting(3)] {
        assert_eq!(client.place_as_demo("expect", &body).await.body, first.body);
    }
    assert_eq!(place.orders().await, 1);
}

async fn a_form_and_a_json_body_mean_the_same(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let mut fields = form("both", &[("SKU-1", 1)]);
    fields.extend([
        ("csrf".to_owned(), "x".to_owned()),
        ("submit".to_owned(), "order".to_owned()),
    ]);
    let by_form = client
        .request(Method::POST, "/api/orders")
        .bearer_auth("demo")
        .form(&fields);
    let by_form = Reply::to(by_form).await;
    by_form.order_no();
    let by_json = client.place_as_demo("both", &one_pencil()).await;
    assert_eq!(
        (by_json.header("idempotency-replayed"), &by_json.body),
        ("true", &by_form.body)
    );
}

async fn composed_and_decomposed_letters_mean_the_same(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let decomposed = with("name", json!("Nguye\u{302}\u{303}n"));
    let first = client.place_as_demo("letters", &decomposed).await;
    first.order_no();
    let again = client.place_as_demo("letters", &with("name", json!("Nguyễn"))).await;
    assert_eq!(again.body, first.body);
    assert_eq!(
        place.text("SELECT name FROM orders").await,
        "Nguye\u{302}\u{303}n",
        "kept as typed"
    );
    let other = client.place_as_demo("letters", &with("name", json!("Nguyen"))).await;
    assert_eq!(other.problem(), "key-reused");
}

async fn every_field_of_the_order_is_part_of_its_meaning(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let first = client.place_as_demo("field", &one_pencil()).await;
    for other in [
        order(&[("SKU-1", 2)]),
        order(&[("SKU-2", 1)]),
        order(&[("SKU-1", 1), ("SKU-2", 1)]),
        with("name", json!("李四")),
        with("phone", json!("13800000001")),
        with("address", json!("北京市2号")),
        with("note", json!("ring twice")),
        with("coupon", json!("WELCOME5")),
    ] {
        let reply = client.place_as_demo("field", &other).await;
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (422, "key-reused"),
            "{other}"
        );
        assert!(reply.header("retry-after").is_empty() && reply.header("location").is_empty());
    }
    let again = client.place_as_demo("field", &one_pencil()).await;
    assert_eq!(
        (again.header("idempotency-replayed"), &again.body),
        ("true", &first.body)
    );
    assert_eq!(place.orders().await, 1);
}

async fn a_replay_is_not_disturbed_by_what_changed_since(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let mut body = order(&[("SKU-2", 1)]);
    body["coupon"] = json!("welcome5");
    let token = client.form_token("SKU-2").await;
    let first = client.place(&token, &body).await;
    assert_eq!(first.json()["total_fen"], 380);
    for change in [
        "UPDATE product SET price_fen = 99999 WHERE sku = 'SKU-2'",
        "UPDATE product SET on_sale = 0 WHERE sku = 'SKU-2'",
        "UPDATE coupon SET enabled = 0",
        "DELETE FROM product WHERE sku = 'SKU-2'",
        "DELETE FROM coupon",
    ] {
        place.execute(change).await;
        let again = client.place(&token, &body).await;
        assert_eq!(
            (again.header("idempotency-replayed"), &again.body),
            ("true", &first.body),
            "{change}"
        );
    }
    let page = client.get(first.header("location")).await;
    assert_eq!(page.status, 200);
    assert!(
        page.body.contains("3.80"),
        "the page shows the price of then: {}",
        page.body
    );
    let mut fields = form(&token, &[("SKU-2", 1)]);
    for (name, value) in &mut fields {
        if name == "coupon" {
            "WELCOME5".clone_into(value);
        }
    }
    let by_form = client.post_form("SKU-2", &fields).await;
    assert_eq!(
        (by_form.status.as_u16(), by_form.header("location")),
        (303, first.header("location"))
    );
    assert_eq!(place.orders().await, 1);
}

async fn a_name_given_twice_or_unknown_is_refused(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let text = one_pencil().to_string();
    for (from, to) in [
        ("\"qty\":1", "\"qty\":1,\"qty\":-1"),
        ("\"qty\":1", "\"qty\":-1,\"qty\":1"),
        ("\"sku\":\"SKU-1\"", "\"sku\":\"SKU-1\",\"sku\":\"SKU-2\""),
        ("\"name\":\"张三\"", "\"name\":\"张三\",\"name\":\"李四\""),
        ("\"name\":", "\"items\":[],\"name\":"),
        ("\"qty\":1", "\"qty\":1,\"price\":0"),
        ("\"name\":", "\"total_fen\":0,\"name\":"),
    ] {
        let body = text.replacen(from, to, 1);
        assert_ne!(body, text);
        let reply = post_text(&client, "twice", &body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (400, "malformed-request"),
            "{body}"
        );
    }
    for fields in ["qty=2", "name=x", "submit_token=x"] {
        let body = format!("submit_token=twice&sku=SKU-1&qty=1&name=a&phone=13800000000&address=b&{fields}");
        let headers = [("authorization", "Bearer demo")];
        let reply = client
            .post_raw(&headers, "application/x-www-form-urlencoded", body)
            .await;
        assert_eq!(reply.status, 400, "{fields}: {}", reply.body);
    }
    assert_eq!((place.orders().await, place.number(RECORDS).await), (0, 0));
}
