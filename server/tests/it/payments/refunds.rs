//! Money that goes back: never more than came, each refund once, whoever tells of it first; and one that its channel refuses or
//! does not answer is neither lost nor made twice.

use super::cashier::{
    HUNDRED_YUAN_FEN, QUICK, events, hundred_yuan, paid_order, problem, refund_body, refund_with, ship,
};
use crate::support::{
    client::{Client, one_pencil},
    on_both_databases,
    payment::{PENCIL_FEN, Provider, assert_acknowledged},
    shop::{Backend, Place},
};
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use server::{
    channels::ChannelId,
    sandbox::sign::{Kind, RefundPart, What},
};

on_both_databases!(
    no_more_goes_back_than_came_in_steps_or_at_once,
    one_refund_number_is_one_refund,
    two_equal_refunds_with_numbers_of_their_own_both_go_back,
    a_refund_is_booked_once_whoever_tells_first,
    all_of_it_back_before_shipping_puts_the_goods_back_once,
    all_of_it_back_after_shipping_leaves_the_goods_with_the_buyer,
    a_refund_that_its_channel_refuses_leaves_the_order_as_it_was,
    an_amount_that_is_none_asks_nothing_back,
);

const STOCK: &str = "SELECT available + 1000 * reserved FROM product WHERE sku = 'SKU-50'";
const COUPON: &str = "SELECT remaining + 1000 * held FROM coupon WHERE code = 'ONCE50'";
const REFUNDED: &str = "SELECT CAST(COALESCE(-SUM(amount_fen), 0) AS BIGINT) FROM money_ledger WHERE kind = 'refunded'";

/// Waits until nothing that was asked back is still on its way.
async fn wait_for_refunds(place: &Place) {
    place
        .wait_number("SELECT COUNT(*) FROM refund WHERE status = 'ASKED'", 0)
        .await;
    place.wait_until_relayed().await;
}

async fn no_more_goes_back_than_came_in_steps_or_at_once(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[QUICK]).await;
    let client = Client::new(&shop.url);
    let steps = paid_order(&client, "steps", &hundred_yuan(), ChannelId::Wechat, "none").await;
    assert_eq!(client.demo_refund(&steps, "RF-1", 9_999).await.status, 201);
    let too_much = client.demo_refund(&steps, "RF-2", 2).await;
    assert_eq!(problem(&too_much), (409, "refund-too-large".to_owned()));
    assert_eq!(too_much.json()["refundable_fen"], 1);
    // The refused number is free for what is left.
    assert_eq!(client.demo_refund(&steps, "RF-2", 1).await.status, 201);
    client.demo_wait_status(&steps, "REFUNDED").await;

    let at_once = paid_order(&client, "at-once", &hundred_yuan(), ChannelId::Webhook, "none").await;
    let numbers: Vec<_> = (0..10).map(|number| format!("RF-60-{number}")).collect();
    let replies = join_all(numbers.iter().map(|number| client.demo_refund(&at_once, number, 6_000))).await;
    let accepted = replies.iter().filter(|reply| reply.status == 201).count();
    let refused = replies
        .iter()
        .filter(|reply| reply.status == 409 && reply.problem() == "refund-too-large");
    assert_eq!((accepted, refused.count()), (1, 9));
    wait_for_refunds(&place).await;
    let order = client.demo_read(&at_once).await;
    assert_eq!(
        (&order["status"], &order["refunded_fen"]),
        (&"PAID".into(), &6_000.into())
    );
    assert_eq!(place.number(REFUNDED).await, HUNDRED_YUAN_FEN + 6_000);
    place.assert_consistent().await;
}

async fn one_refund_number_is_one_refund(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[QUICK]).await;
    let client = Client::new(&shop.url);
    let order_no = paid_order(&client, "one", &hundred_yuan(), ChannelId::Webhook, "none").await;
    let asked = join_all((0..10).map(|_| client.demo_refund(&order_no, "RF-ONE", 1_000))).await;
    for reply in &asked {
        assert_eq!((reply.status.as_u16(), &reply.body), (201, &asked[0].body));
        assert_eq!(reply.header("location"), format!("/orders/{order_no}"));
    }
    wait_for_refunds(&place).await;
    // Byte for byte also after it has gone back, when the order reads otherwise.
    let later = client.demo_refund(&order_no, "RF-ONE", 1_000).await;
    assert_eq!(
        (&later.body, later.header("idempotency-replayed")),
        (&asked[0].body, "true")
    );
    let another = client.demo_refund(&order_no, "RF-ONE", 1_001).await;
    assert_eq!(problem(&another), (422, "key-reused".to_owned()));
    // One's own number for another order means something else; somebody else's number is just taken.
    let second = paid_order(&client, "second", &one_pencil(), ChannelId::Webhook, "none").await;
    assert_eq!(
        problem(&client.demo_refund(&second, "RF-ONE", 1).await),
        (422, "key-reused".to_owned())
    );
    let session = Client::new(&shop.url);
    let of_session = session
        .place(&session.api_token().await, &one_pencil())
        .await
        .order_no();
    let post = |what: &str, body: Value| {
        let request = session.request(Method::POST, &format!("/api/orders/{of_session}/{what}"));
        crate::support::client::Reply::to(request.json(&body))
    };
    let payment = post("payments", json!({ "channel": "wechat" })).await.json();
    let provider = Provider::of(&place);
    let what = provider.paid(payment["payment_no"].as_str().unwrap(), "T-TAKEN", PENCIL_FEN);
    assert_acknowledged(
        ChannelId::Wechat,
        &provider.send(&shop.url, ChannelId::Wechat, &what).await,
    );
    let taken = post("refunds", refund_body("RF-ONE", 1)).await;
    assert_eq!(problem(&taken), (409, "refund-number-taken".to_owned()));
    let left = session.get(&format!("/api/orders/{of_session}")).await.json();
    assert_eq!(
        (&left["status"], &left["refund_asked_fen"]),
        (&"PAID".into(), &0.into()),
        "nothing of it stays"
    );
    assert_eq!(place.number("SELECT COUNT(*) FROM refund").await, 1);
    assert_eq!(place.number(REFUNDED).await, 1_000);
    place.assert_consistent().await;
}

async fn two_equal_refunds_with_numbers_of_their_own_both_go_back(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[QUICK]).await;
    let client = Client::new(&shop.url);
    for channel in ChannelId::ALL {
        let order_no = paid_order(&client, channel.as_str(), &hundred_yuan(), channel, "none").await;
        for number in ["A", "B"] {
            let refund_no = format!("RF-{channel}-{number}");
            assert_eq!(client.demo_refund(&order_no, &refund_no, 3_000).await.status, 201);
        }
        let order = client
            .demo_wait(&order_no, "both go back", |order| order["refunded_fen"] == 6_000)
            .await;
        for refund in order["refunds"].as_array().unwrap() {
            assert_eq!(refund["status"], "SUCCEEDED", "{channel}");
        }
    }
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

async fn a_refund_is_booked_once_whoever_tells_first(backend: Backend) {
    let place = Place::new(backend).await;
    // Two seconds pass between the channel's first answer ("on its way") and its own notification.
    let shop = place.open().await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    for channel in ChannelId::ALL {
        let order_no = paid_order(&client, channel.as_str(), &hundred_yuan(), channel, "none").await;
        let payment_no = client.demo_read(&order_no).await["payments"][0]["payment_no"].clone();
        let refund_no = format!("RF-{channel}");
        let mut what = provider.news(Kind::Refunded, payment_no.as_str().unwrap(), HUNDRED_YUAN_FEN);
        what.transaction_id = "2026120122001".to_owned();
        what.refund = Some(part(&refund_no, 1_000));
        // Our own refund's callback, from the moment at which the refund is asked for until after it has gone back.
        let early = async {
            for _ in 0..20 {
                provider.send(&shop.url, channel, &what).await;
            }
        };
        let (asked, ()) = futures::join!(client.demo_refund(&order_no, &refund_no, 1_000), early);
        assert_eq!(asked.status, 201, "{}", asked.body);
        assert_acknowledged(channel, &provider.send(&shop.url, channel, &what).await);
        let order = client
            .demo_wait(&order_no, "it went back", |order| order["refunded_fen"] != 0)
            .await;
        assert_eq!(order["refunded_fen"], 1_000);
    }
    wait_for_refunds(&place).await;
    assert_eq!(place.number(REFUNDED).await, 3_000);
    place.assert_consistent().await;
}

fn part(refund_no: &str, amount_fen: i64) -> RefundPart {
    RefundPart {
        refund_no: refund_no.to_owned(),
        provider_no: "50100".to_owned(),
        amount_fen,
        refunded_fen: amount_fen,
        reason: "a test".to_owned(),
    }
}

async fn all_of_it_back_before_shipping_puts_the_goods_back_once(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[QUICK]).await;
    let client = Client::new(&shop.url);
    let before = (place.number(STOCK).await, place.number(COUPON).await);
    let mut body = hundred_yuan();
    body["coupon"] = "ONCE50".into();
    let order_no = paid_order(&client, "unshipped", &body, ChannelId::Alipay, "none").await;
    place.wait_until_relayed().await;
    assert_ne!(before, (place.number(STOCK).await, place.number(COUPON).await));
    assert_eq!(client.demo_refund(&order_no, "RF-1", 2_000).await.status, 201);
    assert_eq!(client.demo_read(&order_no).await["status"], "PAID");
    assert_eq!(client.demo_refund(&order_no, "RF-2", 3_000).await.status, 201);
    let order = client.demo_wait_status(&order_no, "REFUNDED").await;
    assert_eq!(order["refunded_fen"], 5_000);
    place.wait_until_relayed().await;
    assert_eq!(before, (place.number(STOCK).await, place.number(COUPON).await));
    let more = client.demo_refund(&order_no, "RF-3", 1).await;
    assert_eq!(problem(&more), (409, "refund-too-large".to_owned()));
    place.assert_consistent().await;
}

async fn all_of_it_back_after_shipping_leaves_the_goods_with_the_buyer(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[QUICK]).await;
    let client = Client::new(&shop.url);
    let before = place.number(STOCK).await;
    let order_no = paid_order(&client, "shipped", &hundred_yuan(), ChannelId::Webhook, "none").await;
    ship(&shop, &order_no).await;
    assert_eq!(
        client.demo_refund(&order_no, "RF-1", HUNDRED_YUAN_FEN).await.status,
        201
    );
    let order = client.demo_wait_status(&order_no, "REFUNDED").await;
    assert_eq!(events(&order)[2..], ["shipped", "refund_asked", "refund_succeeded"]);
    place.wait_until_relayed().await;
    assert_eq!(place.number(STOCK).await, before - 2);
    place.assert_consistent().await;
}

async fn a_refund_that_its_channel_refuses_leaves_the_order_as_it_was(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[QUICK]).await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    // Refused when asked, and taken but failed afterwards: one tells by its answer, the other by a callback.
    for (channel, misbehaviour) in [
        (ChannelId::Webhook, "refuse-refunds"),
        (ChannelId::Webhook, "fail-refunds"),
        (ChannelId::Wechat, "refuse-refunds"),
        (ChannelId::Wechat, "fail-refunds"),
        (ChannelId::Alipay, "refuse-refunds"),
    ] {
        let key = format!("{channel}-{misbehaviour}");
        let order_no = paid_order(&client, &key, &hundred_yuan(), channel, misbehaviour).await;
        let refund_no = format!("RF-{key}");
        let asked = client.demo_refund(&order_no, &refund_no, HUNDRED_YUAN_FEN).await;
        assert_eq!(asked.status, 201);
        let order = client
            .demo_wait(&order_no, "its refund is refused", |order| {
                order["refunds"][0]["status"] == "REFUSED" && order["status"] != "REFUNDING"
            })
            .await;
        assert_eq!(
            (&order["status"], &order["refund_asked_fen"], &order["refunded_fen"]),
            (&"PAID".into(), &0.into(), &0.into()),
            "{key}"
        );
        // Told again, it is refused once.
        let payment_no = order["payments"][0]["payment_no"].as_str().unwrap();
        let mut what: What = provider.news(Kind::RefundRefused, payment_no, HUNDRED_YUAN_FEN);
        what.refund = Some(part(&refund_no, HUNDRED_YUAN_FEN));
        if channel != ChannelId::Alipay {
            assert_acknowledged(channel, &provider.send(&shop.url, channel, &what).await);
        }
        let again = client.demo_read(&order_no).await;
        assert_eq!(events(&again), events(&order));
        // It can be sent off now.
        ship(&shop, &order_no).await;
    }
    let anomalies = "SELECT COUNT(*) FROM anomaly WHERE kind = 'refund_refused'";
    assert_eq!(place.number(anomalies).await, 5);
    let due = "SELECT COUNT(*) FROM outbox_message WHERE kind = 'SHIPMENT_DUE'";
    assert_eq!(place.number(due).await, 5);
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

async fn an_amount_that_is_none_asks_nothing_back(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[QUICK]).await;
    let client = Client::new(&shop.url);
    let order_no = paid_order(&client, "amounts", &hundred_yuan(), ChannelId::Webhook, "none").await;
    for amount in [
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1.0),
        json!("1"),
        json!(null),
        json!([1]),
        json!(true),
        json!(1e30),
    ] {
        let reply = refund_with(&client, &order_no, &refund_body("RF-NONE", amount.clone())).await;
        assert_eq!(problem(&reply), (422, "invalid-fields".to_owned()), "{amount}");
        assert_eq!(reply.json()["errors"][0]["field"], "amount_fen");
    }
    for amount in [HUNDRED_YUAN_FEN + 1, i64::MAX] {
        let reply = client.demo_refund(&order_no, "RF-NONE", amount).await;
        assert_eq!(problem(&reply), (409, "refund-too-large".to_owned()), "{amount}");
    }
    for number in ["", "RF 1", "RF/1", "退款", &"R".repeat(65)] {
        let reply = client.demo_refund(&order_no, number, 1).await;
        assert_eq!(problem(&reply), (422, "invalid-fields".to_owned()), "{number}");
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM refund").await, 0);
    assert_eq!(client.demo_read(&order_no).await["refund_asked_fen"], 0);
    assert_eq!(
        client.demo_refund(&order_no, "RF-NONE", 1).await.status,
        201,
        "the number is still free"
    );
}
