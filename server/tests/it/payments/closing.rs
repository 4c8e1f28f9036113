//! Orders that are not paid: cancelled or past their deadline, they give back what they held, once; and money that was paid in time
//! is found by asking, before anything is closed.

use super::cashier::{
    HUNDRED_YUAN_FEN, QUICK, cashier_of, events, hundred_yuan, paid_order, pay_at_cashier, press, problem, state_at,
};
use crate::support::{
    client::{Client, one_pencil, order},
    on_both_databases,
    payment::PENCIL_FEN,
    shop::{Backend, Place},
};
use futures::future::join_all;
use jiff::Timestamp;
use reqwest::StatusCode;
use serde_json::Value;
use server::channels::ChannelId;
use std::collections::HashSet;

on_both_databases!(
    twenty_who_cancel_at_once_give_stock_and_coupon_back_once,
    what_was_closed_by_its_deadline_or_given_back_is_not_cancelled,
    an_order_past_its_deadline_is_closed_here_and_at_its_channels,
    money_that_nobody_told_of_is_found_before_the_order_is_closed,
    an_overdue_callback_is_found_by_asking,
    an_order_with_nothing_to_pay_is_paid_at_once,
    a_deadline_is_the_same_instant_in_every_time_zone,
    a_clock_that_steps_by_hours_repeats_no_number_and_closes_no_door,
);

const STOCK: &str = "SELECT available + 1000 * reserved FROM product WHERE sku = 'SKU-50'";
const COUPON: &str = "SELECT remaining + 1000 * held FROM coupon WHERE code = 'ONCE50'";

async fn twenty_who_cancel_at_once_give_stock_and_coupon_back_once(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let before = (place.number(STOCK).await, place.number(COUPON).await);
    let mut body = hundred_yuan();
    body["coupon"] = "ONCE50".into();
    let order_no = client.place_as_demo("coupon", &body).await.order_no();
    assert_ne!(
        before,
        (place.number(STOCK).await, place.number(COUPON).await),
        "they are held"
    );
    let cancels = join_all((0..20).map(|_| client.demo_post(&order_no, "cancel", None))).await;
    for cancel in &cancels {
        assert_eq!((cancel.status.as_u16(), &cancel.body), (200, &cancels[0].body));
    }
    let replayed = cancels
        .iter()
        .filter(|cancel| cancel.header("idempotency-replayed") == "true");
    assert_eq!(replayed.count(), 19);
    place.wait_until_relayed().await;
    assert_eq!(before, (place.number(STOCK).await, place.number(COUPON).await));
    let closed = client.demo_read(&order_no).await;
    assert_eq!(events(&closed), ["placed", "cancelled"]);
    // What came back can be used by somebody else, and the first order's cancel, sent again, does not take it away from them.
    let second = client.place_as_demo("again", &body).await.order_no();
    assert_eq!(client.demo_post(&order_no, "cancel", None).await.status, 200);
    assert_eq!(
        problem(&client.place_as_demo("third", &body).await),
        (409, "coupon-not-usable".to_owned())
    );
    assert_eq!(client.demo_read(&second).await["status"], "WAIT_PAY");
    place.assert_consistent().await;
}

async fn what_was_closed_by_its_deadline_or_given_back_is_not_cancelled(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place
        .open_with(&["--payment-deadline-seconds=2", "--close-delay-seconds=0", QUICK])
        .await;
    let client = Client::new(&shop.url);
    let given_back = paid_order(&client, "paid", &hundred_yuan(), ChannelId::Webhook, "none").await;
    let not_cancellable = (409, "order-not-cancellable".to_owned());
    let paid = client.demo_post(&given_back, "cancel", None).await;
    assert_eq!(problem(&paid), not_cancellable);
    assert_eq!(paid.json()["order_status"], "PAID");
    client.demo_refund(&given_back, "RF-ALL", HUNDRED_YUAN_FEN).await;
    client.demo_wait_status(&given_back, "REFUNDED").await;
    let unpaid = client.demo_pencil("unpaid").await;
    client.demo_wait_status(&unpaid, "CLOSED").await;
    place.wait_until_relayed().await;
    let before = place.number(STOCK).await;
    for order_no in [&given_back, &unpaid] {
        let was = client.demo_read(order_no).await;
        let cancels = join_all((0..5).map(|_| client.demo_post(order_no, "cancel", None))).await;
        for cancel in &cancels {
            assert_eq!(problem(cancel), not_cancellable, "{}", cancel.body);
        }
        assert_eq!(client.demo_read(order_no).await, was);
    }
    place.wait_until_relayed().await;
    assert_eq!(place.number(STOCK).await, before);
    place.assert_consistent().await;
}

async fn an_order_past_its_deadline_is_closed_here_and_at_its_channels(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place
        .open_with(&["--payment-deadline-seconds=3", "--close-delay-seconds=0"])
        .await;
    let client = Client::new(&shop.url);
    let before = place.number(STOCK).await;
    let order_no = client.place_as_demo("late", &hundred_yuan()).await.order_no();
    let mut cashiers = Vec::new();
    for channel in ChannelId::ALL {
        let payment_no = client.demo_pay(&order_no, channel).await;
        cashiers.push(cashier_of(&client, &order_no, &payment_no).await);
    }
    let closed = client.demo_wait_status(&order_no, "CLOSED").await;
    let events = closed["events"].as_array().unwrap();
    let last = &events[events.len() - 1];
    assert_eq!(
        (&last["event"], &last["source"]),
        (&"deadline_passed".into(), &"timer".into())
    );
    for payment in closed["payments"].as_array().unwrap() {
        assert_eq!(
            (&payment["status"], &payment["action"]),
            (&"CLOSED".into(), &Value::Null)
        );
    }
    for cashier in &cashiers {
        assert_eq!(state_at(&client, cashier).await, "closed");
        press(&client, cashier, "pay", "none").await;
        assert_eq!(state_at(&client, cashier).await, "closed", "it takes no money any more");
    }
    let again = serde_json::json!({ "channel": "wechat" });
    assert_eq!(
        problem(&client.demo_post(&order_no, "payments", Some(&again)).await),
        (409, "order-not-payable".to_owned())
    );
    place.wait_until_relayed().await;
    assert_eq!(place.number(STOCK).await, before);
    place.assert_consistent().await;
}

async fn money_that_nobody_told_of_is_found_before_the_order_is_closed(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place
        .open_with(&["--payment-deadline-seconds=2", "--close-delay-seconds=1"])
        .await;
    let client = Client::new(&shop.url);
    for channel in ChannelId::ALL {
        let order_no = client.demo_pencil(&format!("silent-{channel}")).await;
        pay_at_cashier(&client, &order_no, channel, "silent").await;
        let order = client
            .demo_wait(&order_no, "it is decided", |order| order["status"] != "WAIT_PAY")
            .await;
        assert_eq!(events(&order), ["placed", "payment_succeeded"], "{channel}");
        assert_eq!(
            (&order["paid_fen"], &order["payments"][0]["status"]),
            (&PENCIL_FEN.into(), &"SUCCEEDED".into())
        );
        assert_eq!(order["surplus"].as_array().unwrap().len(), 0);
    }
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

async fn an_overdue_callback_is_found_by_asking(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let order_no = client.demo_pencil("overdue").await;
    pay_at_cashier(&client, &order_no, ChannelId::Wechat, "silent").await;
    assert_eq!(client.demo_read(&order_no).await["status"], "WAIT_PAY");
    shop.close().await;
    // Half a minute later, long before the deadline.
    let later = place.open_with(&["--clock-offset-seconds=31"]).await;
    let order = client.at(&later.url).demo_wait_status(&order_no, "PAID").await;
    assert_eq!(events(&order), ["placed", "payment_succeeded"]);
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

async fn an_order_with_nothing_to_pay_is_paid_at_once(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let before = place.number("SELECT available FROM product WHERE sku = 'SKU-10'").await;
    let mut body = order(&[("SKU-10", 1)]);
    body["coupon"] = "ONCE50".into();
    let order_no = client.place_as_demo("free", &body).await.order_no();
    for channel in ChannelId::ALL {
        let body = serde_json::json!({ "channel": channel.as_str() });
        let refused = client.demo_post(&order_no, "payments", Some(&body)).await;
        assert_eq!(problem(&refused), (409, "order-not-payable".to_owned()));
    }
    // Nothing came in, so nothing can go back, not even nothing.
    let refund = client.demo_refund(&order_no, "RF-FREE", 1).await;
    assert_eq!(problem(&refund), (409, "refund-too-large".to_owned()));
    assert_eq!(refund.json()["refundable_fen"], 0);
    assert_eq!(client.demo_post(&order_no, "cancel", None).await.status, 409);
    place.wait_until_relayed().await;
    let order = client.demo_read(&order_no).await;
    assert_eq!(
        (&order["status"], &order["total_fen"], &order["paid_fen"]),
        (&"PAID".into(), &0.into(), &0.into())
    );
    assert_eq!(order["payments"].as_array().unwrap().len(), 0);
    let stock = "SELECT available FROM product WHERE sku = 'SKU-10' AND reserved = 0";
    assert_eq!(place.number(stock).await, before - 1, "deducted");
    assert_eq!(place.number(COUPON).await, 0, "used");
    assert_eq!(place.number("SELECT COUNT(*) FROM payment").await, 0);
    place.assert_consistent().await;
}

async fn a_deadline_is_the_same_instant_in_every_time_zone(backend: Backend) {
    let place = Place::new(backend).await;
    for (name, hours) in [("Asia/Shanghai", 8), ("America/New_York", -5), ("America/New_York", -4)] {
        // A minute before midnight there, and a minute after it.
        for past_midnight in [-60, 60] {
            const DAY: i64 = 86_400;
            let local = Timestamp::now().as_second() + hours * 3_600;
            let ahead = DAY - local % DAY + past_midnight;
            let mut shop = place.spawn_in_zone(&[&format!("--clock-offset-seconds={ahead}")], name);
            let client = Client::new(&shop.url);
            let order_no = client.demo_pencil(&format!("{hours}{past_midnight}")).await;
            let order = client.demo_read(&order_no).await;
            let instant = |field: &str| -> Timestamp {
                let text = order[field].as_str().unwrap();
                assert!(text.ends_with('Z'), "{field} is in UTC: {text}");
                text.parse().unwrap()
            };
            let (created, pay_before) = (instant("created_at"), instant("pay_before"));
            assert_eq!(pay_before.as_second() - created.as_second(), 900);
            let there = Timestamp::now().as_second() + ahead;
            assert!((there - created.as_second()).abs() < 60, "{created}");
            // It can be paid: its deadline is neither over already nor a night away.
            client.demo_pay(&order_no, ChannelId::Webhook).await;
            assert_eq!(client.demo_read(&order_no).await["status"], "WAIT_PAY");
            shop.kill();
        }
    }
}

async fn a_clock_that_steps_by_hours_repeats_no_number_and_closes_no_door(backend: Backend) {
    let place = Place::new(backend).await;
    let mut numbers = HashSet::new();
    let mut client = Client::new("");
    for (round, hours) in [0, 3, -3, 1, 0].into_iter().enumerate() {
        let shop = place
            .open_with(&[&format!("--clock-offset-seconds={}", hours * 3_600)])
            .await;
        client = client.at(&shop.url);
        let keys: Vec<_> = (0..40).map(|number| format!("{round}-{number}")).collect();
        let body = one_pencil();
        for reply in join_all(keys.iter().map(|key| client.place_as_demo(key, &body))).await {
            assert_eq!(reply.status, StatusCode::CREATED, "{}", reply.body);
            assert!(numbers.insert(reply.order_no()), "{numbers:?}");
        }
        // Keys of every earlier round lead to their orders, whatever the clock says now.
        for earlier in 0..=round {
            let again = client.place_as_demo(&format!("{earlier}-0"), &one_pencil()).await;
            assert_eq!(
                (again.status.as_u16(), again.header("idempotency-replayed")),
                (201, "true")
            );
        }
        let (cancelled, paid) = (
            client.demo_pencil(&format!("c{round}")).await,
            client.demo_pencil(&format!("p{round}")).await,
        );
        assert_eq!(client.demo_post(&cancelled, "cancel", None).await.status, 200);
        pay_at_cashier(&client, &paid, ChannelId::Webhook, "none").await;
        client.demo_wait_status(&paid, "PAID").await;
        place.wait_until_relayed().await;
        shop.close().await;
    }
    place.assert_consistent().await;
}
