//! Money against the clock and money against money: whoever comes first, each yuan pays an order or goes back, once.

use super::cashier::{QUICK, cashier_of, pay_at_cashier, press, state_at, transaction_at};
use crate::support::{
    client::{Client, one_pencil},
    on_both_databases,
    payment::{PENCIL_FEN, Provider, assert_acknowledged},
    shop::{Backend, Place},
};
use futures::{StreamExt as _, stream};
use jiff::Timestamp;
use server::channels::ChannelId;
use std::time::Duration;

on_both_databases!(
    money_around_the_deadline_pays_its_order_or_goes_back_once,
    of_two_channels_that_succeed_at_once_one_pays_and_the_other_goes_back,
    what_pays_an_order_closes_its_payments_at_other_channels,
);

async fn money_around_the_deadline_pays_its_order_or_goes_back_once(backend: Backend) {
    const ORDERS: usize = 200;
    let place = Place::new(backend).await;
    let shop = place
        .open_with(&["--payment-deadline-seconds=4", "--close-delay-seconds=0", QUICK])
        .await;
    let client = Client::new(&shop.url);
    let stock = "SELECT available FROM product WHERE sku = 'SKU-1'";
    let before = place.number(stock).await;
    stream::iter(0..ORDERS)
        .for_each_concurrent(50, |number| {
            let client = client.clone();
            async move {
                let reply = client.place_as_demo(&format!("race-{number}"), &one_pencil()).await;
                let (order_no, pay_before) = (reply.order_no(), reply.json()["pay_before"].clone());
                let payment_no = client.demo_pay(&order_no, ChannelId::Webhook).await;
                let cashier = cashier_of(&client, &order_no, &payment_no).await;
                // From half a second before the deadline to one and a half after it.
                let deadline: Timestamp = pay_before.as_str().unwrap().parse().unwrap();
                let offset = i64::try_from(number % 41).unwrap() * 50 - 500;
                let wait = deadline.as_millisecond() + offset - Timestamp::now().as_millisecond();
                tokio::time::sleep(Duration::from_millis(wait.try_into().unwrap_or(0))).await;
                // The gateway takes the money in one of two ways, before it has closed the payment or although it has.
                press(&client, &cashier, "pay", "none").await;
                press(&client, &cashier, "pay-although-closed", "none").await;
            }
        })
        .await;
    place
        .wait_number("SELECT COUNT(*) FROM orders WHERE status = 'WAIT_PAY'", 0)
        .await;
    let came = "SELECT COUNT(*) FROM money_ledger WHERE amount_fen > 0";
    place.wait_number(came, i64::try_from(ORDERS).unwrap()).await;
    place
        .wait_number("SELECT COUNT(*) FROM refund WHERE status <> 'SUCCEEDED'", 0)
        .await;
    place.wait_until_relayed().await;
    let paid = place.number("SELECT COUNT(*) FROM orders WHERE status = 'PAID'").await;
    let closed = place
        .number(
            "SELECT COUNT(*) FROM orders WHERE status = 'CLOSED' AND 1 =
               (SELECT COUNT(*) FROM surplus JOIN refund ON refund.refund_no = surplus.refund_no
                WHERE surplus.order_no = orders.order_no AND refund.status = 'SUCCEEDED')",
        )
        .await;
    assert_eq!(
        paid + closed,
        i64::try_from(ORDERS).unwrap(),
        "{paid} paid, {closed} closed"
    );
    assert!(paid > 0 && closed > 0, "{paid} paid, {closed} closed: it was no race");
    assert_eq!(place.number(stock).await, before - paid);
    let kept = "SELECT CAST(SUM(amount_fen) AS BIGINT) FROM money_ledger";
    assert_eq!(place.number(kept).await, paid * PENCIL_FEN);
    place.assert_consistent().await;
}

async fn of_two_channels_that_succeed_at_once_one_pays_and_the_other_goes_back(backend: Backend) {
    const ROUNDS: i64 = 50;
    let place = Place::new(backend).await;
    // Each channel's callback comes to a server of its own: on PostgreSQL, to two.
    let servers = match backend {
        Backend::Sqlite => vec![place.spawn(&[QUICK])],
        Backend::PostgresAndRedis => vec![place.spawn(&[QUICK]), place.spawn(&[QUICK])],
    };
    let one = Client::new(&servers[0].url);
    let other = one.at(&servers[servers.len() - 1].url);
    let (here, there) = (&servers[0].url, &servers[servers.len() - 1].url);
    let provider = &Provider::of(&place);
    stream::iter(0..ROUNDS)
        .for_each_concurrent(5, |round| {
            let (one, other) = (one.clone(), other.clone());
            async move {
                let order_no = one.demo_pencil(&format!("two-{round}")).await;
                let first = one.demo_pay(&order_no, ChannelId::Wechat).await;
                let second = other.demo_pay(&order_no, ChannelId::Webhook).await;
                let cashiers = [
                    cashier_of(&one, &order_no, &first).await,
                    cashier_of(&one, &order_no, &second).await,
                ];
                // Both take the money before either tells of it.
                press(&one, &cashiers[0], "pay", "silent").await;
                press(&other, &cashiers[1], "pay", "silent").await;
                let told = [
                    provider.paid(&first, &transaction_at(&one, &cashiers[0]).await, PENCIL_FEN),
                    provider.paid(&second, &transaction_at(&one, &cashiers[1]).await, PENCIL_FEN),
                ];
                let (by_wechat, by_webhook) = futures::join!(
                    provider.send(here, ChannelId::Wechat, &told[0]),
                    provider.send(there, ChannelId::Webhook, &told[1])
                );
                assert_acknowledged(ChannelId::Wechat, &by_wechat);
                assert_acknowledged(ChannelId::Webhook, &by_webhook);
                let order = one
                    .demo_wait(&order_no, "the other money is back", |order| {
                        order["surplus"][0]["refunded"] == true
                    })
                    .await;
                assert_eq!(order["status"], "PAID");
                assert_eq!(order["surplus"].as_array().unwrap().len(), 1, "{order:#}");
                assert_eq!(order["surplus"][0]["reason"], "second_payment");
                for payment in order["payments"].as_array().unwrap() {
                    assert_eq!(payment["status"], "SUCCEEDED", "{order:#}");
                }
            }
        })
        .await;
    place.wait_until_relayed().await;
    for (sql, count) in [
        ("SELECT COUNT(*) FROM money_ledger WHERE kind = 'paid'", ROUNDS),
        (
            "SELECT COUNT(*) FROM money_ledger WHERE kind = 'surplus_refunded'",
            ROUNDS,
        ),
        ("SELECT COUNT(*) FROM refund WHERE status = 'SUCCEEDED'", ROUNDS),
        ("SELECT COUNT(*) FROM anomaly", 0),
    ] {
        assert_eq!(place.number(sql).await, count, "{sql}");
    }
    place.assert_consistent().await;
}

async fn what_pays_an_order_closes_its_payments_at_other_channels(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[QUICK]).await;
    let client = Client::new(&shop.url);
    let order_no = client.demo_pencil("one-of-two").await;
    let unused = client.demo_pay(&order_no, ChannelId::Webhook).await;
    let cashier = cashier_of(&client, &order_no, &unused).await;
    pay_at_cashier(&client, &order_no, ChannelId::Wechat, "none").await;
    let order = client
        .demo_wait(&order_no, "the other payment is closed", |order| {
            order["payments"][0]["status"] == "CLOSED"
        })
        .await;
    assert_eq!(
        (&order["status"], state_at(&client, &cashier).await),
        (&"PAID".into(), "closed".to_owned())
    );
    place.assert_consistent().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_and_the_money_at_the_same_instant_leave_one_of_the_two() {
    const ROUNDS: i64 = 40;
    let place = Place::new(Backend::PostgresAndRedis).await;
    let shop = place.open_with(&[QUICK]).await;
    let client = Client::new(&shop.url);
    stream::iter(0..ROUNDS)
        .for_each_concurrent(8, |round| {
            let client = client.clone();
            async move {
                let order_no = client.demo_pencil(&format!("or-{round}")).await;
                let pay = pay_at_cashier(&client, &order_no, ChannelId::Webhook, "none");
                let (_, cancel) = futures::join!(pay, async {
                    // The payment must be open at the gateway before it can be raced.
                    client
                        .demo_wait(&order_no, "its payment is open", |order| {
                            order["payments"][0]["status"] != "CREATING" && order["payments"][0].is_object()
                        })
                        .await;
                    client.demo_post(&order_no, "cancel", None).await
                });
                let order = client
                    .demo_wait(&order_no, "it is decided", |order| order["status"] != "WAIT_PAY")
                    .await;
                let expected = if cancel.status == 200 { "CLOSED" } else { "PAID" };
                assert_eq!(order["status"], expected, "{}", cancel.body);
            }
        })
        .await;
    place.wait_until_relayed().await;
    place
        .wait_number("SELECT COUNT(*) FROM refund WHERE status <> 'SUCCEEDED'", 0)
        .await;
    let sums = "SELECT COUNT(*) FROM orders WHERE status = 'CLOSED' AND 0 <>
        (SELECT COALESCE(SUM(amount_fen), 0) FROM money_ledger WHERE money_ledger.order_no = orders.order_no)";
    assert_eq!(place.number(sums).await, 0, "what is closed keeps no money");
    place.assert_consistent().await;
}
