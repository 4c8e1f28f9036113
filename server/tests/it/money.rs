//! Money and pieces: whole fen everywhere, quantities that are pieces, totals that cannot go around the end of a number, prices
//! that are shown before they are charged.

mod coupons;

use crate::support::{
    client::{Client, Reply, form, one_pencil, order},
    on_both_databases,
    page::{field, notice},
    shop::{Backend, Place},
};
use serde_json::{Value, json};

on_both_databases!(
    every_price_is_the_same_whole_fen_everywhere,
    quantities_that_are_no_pieces_are_refused_and_stock_stays,
    the_stated_maxima_hold_and_nothing_overflows,
    an_unknown_product_and_one_off_sale_are_refused_with_the_input_kept,
    a_price_that_changed_while_the_form_was_open_is_shown_before_it_is_charged,
);

/// `1990` as `19.90`, as a person would write it.
fn yuan(fen: i64) -> String {
    format!("{}.{:02}", fen / 100, fen % 100)
}

async fn every_price_is_the_same_whole_fen_everywhere(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    // Prices at which a float times a hundred loses a fen.
    for (sku, price) in [
        ("SKU-1", 3),
        ("SKU-2", 880),
        ("SKU-3", 1_990),
        ("SKU-199", 19_900),
        ("SKU-50", 29),
        ("SKU-68", 167),
        ("SKU-128", 100_500),
    ] {
        let change = format!("UPDATE product SET price_fen = {price} WHERE sku = '{sku}'");
        place.execute(Box::leak(change.into_boxed_str())).await;
        for quantity in 1..=9 {
            let total = price * quantity;
            let token = client.api_token().await;
            let placed = client.place(&token, &order(&[(sku, quantity)])).await;
            let order_no = placed.order_no();
            let body = placed.json();
            let line = &body["items"][0];
            assert_eq!(
                (
                    &line["unit_price_fen"],
                    &line["line_total_fen"],
                    &body["subtotal_fen"],
                    &body["total_fen"]
                ),
                (&json!(price), &json!(total), &json!(total), &json!(total))
            );
            let page = client.get(&format!("/orders/{order_no}")).await.body;
            let (_, shown) = page.split_once("id=\"total\"").expect("a total");
            let (shown, _) = shown.split_once("</dd>").expect("its end");
            assert!(shown.contains(&yuan(total)), "{sku} x {quantity}: {shown}");
        }
    }
    assert_eq!(
        place
            .number(
                "SELECT COUNT(*) FROM orders JOIN order_line ON order_line.order_no = orders.order_no
                 WHERE total_fen <> quantity * unit_price_fen OR subtotal_fen <> total_fen OR discount_fen <> 0"
            )
            .await,
        0
    );
    assert_eq!(place.orders().await, 7 * 9);
}

async fn quantities_that_are_no_pieces_are_refused_and_stock_stays(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let items = |qty: Value| json!([{ "sku": "SKU-1", "qty": qty }]);
    let mut bodies: Vec<Value> = [
        json!(-1),
        json!(0),
        json!(1.5),
        json!("1e3"),
        json!(" 1"),
        Value::Null,
        json!(true),
        json!(2_147_483_648_i64),
        json!(9_223_372_036_854_775_808_u64),
        json!(i64::MIN),
        json!(100),
    ]
    .into_iter()
    .map(items)
    .collect();
    bodies.push(json!([{ "sku": "SKU-1", "qty": 1 }, { "sku": "SKU-2", "qty": -5 }]));
    bodies.push(json!([{ "sku": "SKU-1", "qty": 6 }, { "sku": "SKU-1", "qty": -5 }]));
    bodies.push(json!([{ "sku": "SKU-1", "qty": i64::MAX }, { "sku": "SKU-1", "qty": 1 }]));
    for items in bodies {
        let mut body = one_pencil();
        body["items"] = items.clone();
        let reply = client.place_as_demo("pieces", &body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (422, "invalid-fields"),
            "{items}"
        );
        let field = reply.json()["errors"][0]["field"].as_str().unwrap_or("").to_owned();
        assert!(field.ends_with("].qty"), "{items}: {field}");
    }
    let token = client.form_token("SKU-1").await;
    for typed in [
        "-1",
        "0",
        "1.5",
        "1e3",
        " 1",
        "",
        "+1",
        "１",
        "2147483648",
        "9223372036854775808",
        "100",
        "01",
    ] {
        let mut fields = form(&token, &[("SKU-1", 1)]);
        fields
            .iter_mut()
            .filter(|(name, _)| name == "qty")
            .for_each(|(_, value)| typed.clone_into(value));
        let page = client.post_form("SKU-1", &fields).await;
        assert_eq!(page.status, 422, "{typed}");
        assert!(page.body.contains("id=\"qty-0-error\""), "{typed}: {}", page.body);
        assert_eq!(field(&page.body, "qty"), typed);
    }
    assert_eq!(place.orders().await, 0);
    assert_eq!(
        place
            .number("SELECT COUNT(*) FROM stock_ledger WHERE kind <> 'initial'")
            .await,
        0
    );
    place.assert_consistent().await;
}

async fn the_stated_maxima_hold_and_nothing_overflows(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    place
        .execute("UPDATE product SET price_fen = 100000000 WHERE sku IN ('SKU-1', 'SKU-2')")
        .await;
    let placed = client
        .place_as_demo("dear", &order(&[("SKU-1", 99), ("SKU-2", 99)]))
        .await;
    assert_eq!(
        placed.json()["total_fen"],
        19_800_000_000_i64,
        "beyond 32 bits, and exact"
    );
    let too_many = client.place_as_demo("hundred", &order(&[("SKU-1", 100)])).await;
    assert_eq!(too_many.json()["errors"][0]["maximum"], 99);
    let lines = vec![("SKU-1", 1); 1_000];
    let too_long = client.place_as_demo("lines", &order(&lines)).await;
    assert_eq!(
        (
            too_long.status.as_u16(),
            &too_long.json()["errors"][0]["field"],
            &too_long.json()["errors"][0]["code"]
        ),
        (422, &json!("items"), &json!("too-many-lines"))
    );
    let most = vec![("SKU-1", 1); 50];
    client.place_as_demo("most", &order(&most)).await.order_no();
    place.assert_consistent().await;
}

async fn an_unknown_product_and_one_off_sale_are_refused_with_the_input_kept(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-2").await;
    place
        .execute("UPDATE product SET on_sale = 0 WHERE sku = 'SKU-3'")
        .await;
    for (sku, slug) in [("SKU-404", "unknown-product"), ("SKU-3", "product-off-sale")] {
        let lines = [("SKU-2", 4), (sku, 1)];
        let refused = client.place_as_demo("refused", &order(&lines)).await;
        assert_eq!(
            (
                refused.status.as_u16(),
                refused.problem().as_str(),
                &refused.json()["sku"]
            ),
            (409, slug, &json!(sku))
        );
        assert!(refused.header("retry-after").is_empty());
        let page = client.post_form("SKU-2", &form(&token, &lines)).await;
        assert_eq!((page.status.as_u16(), notice(&page.body).as_str()), (409, slug));
        assert_eq!(
            (field(&page.body, "qty"), field(&page.body, "submit_token")),
            ("4".to_owned(), token.clone())
        );
    }
    assert_eq!(
        (
            place.orders().await,
            client.get("/order/new?sku=SKU-404").await.status.as_u16()
        ),
        (0, 404)
    );
    client
        .place_as_demo("refused", &order(&[("SKU-2", 4)]))
        .await
        .order_no();
    let placed = client.post_form("SKU-2", &form(&token, &[("SKU-2", 4)])).await;
    assert_eq!(placed.status, 303, "{}", placed.body);
    place.assert_consistent().await;
}

async fn a_price_that_changed_while_the_form_was_open_is_shown_before_it_is_charged(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let page = client.load_form("SKU-2").await.body;
    let token = field(&page, "submit_token");
    let shown = |page: &str| {
        let mut fields = form(&token, &[("SKU-2", 2)]);
        fields.push(("unit_price_fen".to_owned(), field(page, "unit_price_fen")));
        fields
    };
    place
        .execute("UPDATE product SET price_fen = 990 WHERE sku = 'SKU-2'")
        .await;
    let refused: Reply = client.post_form("SKU-2", &shown(&page)).await;
    assert_eq!(
        (refused.status.as_u16(), notice(&refused.body).as_str()),
        (409, "price-changed")
    );
    assert_eq!(field(&refused.body, "unit_price_fen"), "990");
    assert!(refused.body.contains("19.80"), "the new total: {}", refused.body);
    let kept = ["qty", "name", "phone", "address"].map(|name| field(&refused.body, name));
    assert_eq!(kept, ["2", "张三", "13800000000", "北京市1号"]);
    assert_eq!(field(&refused.body, "submit_token"), token);
    // What the page shows now is agreed to with the same token; sent again with the first price, it is the same order.
    let placed = client.post_form("SKU-2", &shown(&refused.body)).await;
    assert_eq!(placed.status, 303, "{}", placed.body);
    let again = client.post_form("SKU-2", &shown(&page)).await;
    assert_eq!(again.header("location"), placed.header("location"));
    assert_eq!(place.number("SELECT total_fen FROM orders").await, 1_980);
}
