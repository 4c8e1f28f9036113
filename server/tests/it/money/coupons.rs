//! Coupons: a total that does not go below zero, a use that only one order gets, a use that a refused order does not take.

use crate::support::{
    client::{Client, form, order},
    on_both_databases,
    page::{field, notice},
    shop::{Backend, Place},
};
use futures::future::join_all;
use serde_json::{Value, json};

on_both_databases!(
    a_coupon_larger_than_the_total_makes_it_zero_and_the_order_paid_at_once,
    a_coupon_for_one_use_is_used_by_exactly_one_of_twenty_orders,
    a_coupons_capital_letters_do_not_count_and_an_unknown_one_is_refused,
    a_refused_or_failed_order_does_not_use_its_coupon_up,
);

fn with_coupon(mut body: Value, code: &str) -> Value {
    body["coupon"] = json!(code);
    body
}

async fn a_coupon_larger_than_the_total_makes_it_zero_and_the_order_paid_at_once(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let placed = client
        .place_as_demo("free", &with_coupon(order(&[("SKU-1", 9)]), "WELCOME5"))
        .await;
    placed.order_no();
    let body = placed.json();
    assert_eq!(
        (
            &body["status"],
            &body["subtotal_fen"],
            &body["discount_fen"],
            &body["total_fen"]
        ),
        (&json!("PAID"), &json!(27), &json!(27), &json!(0))
    );
    assert_eq!(
        place
            .number("SELECT COUNT(*) FROM outbox_message WHERE kind = 'ORDER_PAID'")
            .await,
        1
    );
    let deliveries = "SELECT COUNT(DISTINCT consumer) FROM outbox_delivery
                      JOIN outbox_message ON outbox_message.message_id = outbox_delivery.message_id
                      WHERE kind = 'ORDER_PAID' AND consumer IN ('inventory', 'coupons', 'shipping')";
    assert_eq!(place.number(deliveries).await, 3);
    // One fen above the coupon is to be paid.
    let placed = client
        .place_as_demo("rest", &with_coupon(order(&[("SKU-2", 1)]), "WELCOME5"))
        .await;
    assert_eq!(
        (&placed.json()["status"], &placed.json()["total_fen"]),
        (&json!("WAIT_PAY"), &json!(380))
    );
    assert_eq!(
        place
            .number("SELECT COUNT(*) FROM outbox_message WHERE kind = 'ORDER_PAID'")
            .await,
        1
    );
    place.assert_consistent().await;
}

async fn a_coupon_for_one_use_is_used_by_exactly_one_of_twenty_orders(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let body = with_coupon(order(&[("SKU-3", 1)]), "ONCE50");
    let keys: Vec<_> = (0..20).map(|number| format!("coupon-{number}")).collect();
    let replies = join_all(keys.iter().map(|key| client.place_as_demo(key, &body))).await;
    let (accepted, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
    assert_eq!(accepted.len(), 1);
    for reply in refused {
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (409, "coupon-not-usable"),
            "{}",
            reply.body
        );
    }
    assert_eq!(
        place.number("SELECT remaining FROM coupon WHERE code = 'ONCE50'").await,
        0
    );
    // An order with nothing to pay is paid, and its coupon used, at once.
    place.wait_until_relayed().await;
    assert_eq!(
        place
            .number("SELECT remaining + held FROM coupon WHERE code = 'ONCE50'")
            .await,
        0
    );
    assert_eq!(
        place
            .number("SELECT COUNT(*) FROM stock_ledger WHERE sku = 'SKU-3' AND kind = 'deducted'")
            .await,
        1
    );
    // A refused one is free to go on without.
    let at = replies
        .iter()
        .position(|reply| reply.status == 409)
        .expect("a refused one");
    client
        .place_as_demo(&keys[at], &order(&[("SKU-3", 1)]))
        .await
        .order_no();
    place.assert_consistent().await;
}

async fn a_coupons_capital_letters_do_not_count_and_an_unknown_one_is_refused(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let body = order(&[("SKU-3", 1)]);
    let first = client
        .place_as_demo("coupon", &with_coupon(body.clone(), "welcome5"))
        .await;
    assert_eq!(first.json()["total_fen"], 1_490);
    let again = client
        .place_as_demo("coupon", &with_coupon(body.clone(), " Welcome5 "))
        .await;
    assert_eq!(again.body, first.body);
    for code in [
        "NOPE",
        "WELCOME",
        "WELCOME55",
        "W%",
        "' OR 1=1 --",
        "ＷＥＬＣＯＭＥ5",
        "优惠",
    ] {
        let refused = client.place_as_demo("unknown", &with_coupon(body.clone(), code)).await;
        assert_eq!(
            (refused.status.as_u16(), refused.problem().as_str()),
            (409, "coupon-not-usable"),
            "{code}"
        );
    }
    let token = client.form_token("SKU-3").await;
    let mut fields = form(&token, &[("SKU-3", 1)]);
    fields
        .iter_mut()
        .filter(|(name, _)| name == "coupon")
        .for_each(|(_, value)| "nope".clone_into(value));
    let page = client.post_form("SKU-3", &fields).await;
    assert_eq!(
        (page.status.as_u16(), notice(&page.body).as_str()),
        (409, "coupon-not-usable")
    );
    assert_eq!(
        (field(&page.body, "coupon"), field(&page.body, "submit_token")),
        ("nope".to_owned(), token)
    );
    assert_eq!(place.orders().await, 1);
}

async fn a_refused_or_failed_order_does_not_use_its_coupon_up(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let short = with_coupon(order(&[("SKU-1", 1), ("SKU-10", 11)]), "ONCE50");
    assert_eq!(client.place_as_demo("short", &short).await.problem(), "sold-out");
    assert_eq!(
        place.number("SELECT remaining FROM coupon WHERE code = 'ONCE50'").await,
        1
    );
    let corrected = with_coupon(order(&[("SKU-1", 1), ("SKU-10", 10)]), "ONCE50");
    let placed = client.place_as_demo("short", &corrected).await;
    assert_eq!(placed.json()["total_fen"], 3 + 29_000 - 5_000);
    place.assert_consistent().await;
}
