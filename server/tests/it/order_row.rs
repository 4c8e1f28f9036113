//! The order's row: of several who move an order at the same moment, one does, and the others see what it did.

use crate::support::{
    client::{Client, one_pencil, order},
    on_both_databases,
    shop::{Backend, Place},
};
use futures::future::join_all;
use server::{
    domain::order::{OrderEvent, Source, Status},
    orders::advance::{Advanced, advance},
};

on_both_databases!(
    of_twenty_who_cancel_at_once_one_does_and_the_others_find_it_done,
    a_paid_order_is_not_cancelled,
    a_placed_order_has_its_journal_and_its_message,
);

async fn of_twenty_who_cancel_at_once_one_does_and_the_others_find_it_done(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let order_no = Client::new(&shop.url)
        .place_as_demo("cancel", &one_pencil())
        .await
        .order_no();
    let database = &shop.running.executor.database;
    let outcomes = join_all((0..20).map(|_| async {
        let mut connection = database.writer().await.unwrap();
        let mut transaction = database.begin(&mut connection).await.unwrap();
        let outcome = advance(&mut transaction, &order_no, &OrderEvent::Cancelled, Source::Buyer, 1)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        outcome
    }))
    .await;
    let moved = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, Advanced::Moved { order, .. } if order.status == Status::Closed))
        .count();
    let there = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, Advanced::NothingToDo(order) if order.status == Status::Closed))
        .count();
    assert_eq!((moved, there), (1, 19), "{outcomes:?}");
    assert_eq!(place.number("SELECT version FROM orders").await, 2);
    assert_eq!(place.number("SELECT COUNT(*) FROM order_event").await, 2);
    assert_eq!(
        place
            .number("SELECT COUNT(*) FROM outbox_message WHERE kind = 'ORDER_CLOSED'")
            .await,
        1
    );
    assert_eq!(place.number("SELECT COUNT(*) FROM outbox_delivery").await, 3);
}

async fn a_paid_order_is_not_cancelled(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let mut body = order(&[("SKU-10", 1)]);
    body["coupon"] = "ONCE50".into();
    let placed = Client::new(&shop.url).place_as_demo("free", &body).await;
    assert_eq!(
        (&placed.json()["status"], &placed.json()["total_fen"]),
        (&"PAID".into(), &0.into())
    );
    let database = &shop.running.executor.database;
    let mut connection = database.writer().await.unwrap();
    let mut transaction = database.begin(&mut connection).await.unwrap();
    let event = OrderEvent::Cancelled;
    let outcome = advance(&mut transaction, &placed.order_no(), &event, Source::Buyer, 1)
        .await
        .unwrap();
    assert!(
        matches!(&outcome, Advanced::Impossible(order) if order.status == Status::Paid),
        "{outcome:?}"
    );
    let outcome = advance(&mut transaction, "OM-0000-0000-0000", &event, Source::Buyer, 1)
        .await
        .unwrap();
    assert_eq!(outcome, Advanced::NotFound);
    transaction.commit().await.unwrap();
    assert_eq!(
        place.number("SELECT COUNT(*) FROM outbox_delivery").await,
        3,
        "an order paid at once is to be fulfilled"
    );
}

async fn a_placed_order_has_its_journal_and_its_message(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let order_no = client.place_as_demo("journal", &one_pencil()).await.order_no();
    let read = client
        .request(reqwest::Method::GET, &format!("/api/orders/{order_no}"))
        .bearer_auth("demo");
    let order = crate::support::client::Reply::of(read.send().await.unwrap())
        .await
        .json();
    assert_eq!(order["events"].as_array().unwrap().len(), 1);
    assert_eq!(order["events"][0]["event"], "placed");
    assert_eq!(order["events"][0]["source"], "api_client");
    assert_eq!(order["events"][0]["to"], "WAIT_PAY");
    assert_eq!(order["events"][0]["from"], serde_json::Value::Null);
    assert_eq!(
        place
            .number("SELECT COUNT(*) FROM outbox_message WHERE kind = 'ORDER_PLACED' AND version = 1")
            .await,
        1
    );
}
