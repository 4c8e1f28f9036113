//! A payment provider that hangs, refuses or is not who it says: nobody but its own payments waits for it, nothing is lost, and
//! nothing is begun twice.

use super::cashier::{cashier_of, hundred_yuan, press, problem, state_at};
use super::door::{Door, Mode};
use crate::support::{
    client::{Client, Reply, one_pencil},
    on_both_databases,
    payment::{PENCIL_FEN, Provider, assert_acknowledged},
    shop::{Backend, Place, Shop},
};
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use server::{channels::ChannelId, sandbox::keys::SandboxKeys};
use std::time::{Duration, Instant};

on_both_databases!(
    a_provider_that_hangs_holds_up_nobody_else,
    a_provider_that_is_not_who_it_says_is_not_believed,
    a_payment_cut_off_before_its_provider_is_asked_is_driven_on,
    a_payment_cut_off_after_its_provider_was_asked_is_driven_on,
    a_refund_whose_provider_hangs_is_driven_on_with_its_number,
);

/// Number of payments that the provider knows.
async fn payments_there(gateway: &Place) -> i64 {
    let file = gateway.directory().join("sandbox").join("sandbox.sqlite");
    let books = Place::on(Some(format!("sqlite:{}", file.display())), None);
    books.number("SELECT COUNT(*) FROM payment").await
}

async fn open<'p>(place: &'p Place, door: &Door, more: &[&str]) -> Shop<'p> {
    let flags = door.flags();
    let flags: Vec<_> = flags.iter().map(String::as_str).chain(more.iter().copied()).collect();
    place.open_with(&flags).await
}

fn webhook() -> Value {
    json!({ "channel": "webhook" })
}

async fn a_provider_that_hangs_holds_up_nobody_else(backend: Backend) {
    const PAYMENTS: usize = 100;
    let (gateway, place) = (Place::new(Backend::Sqlite).await, Place::new(backend).await);
    let behind = gateway.open().await;
    let door = Door::before(&gateway, &behind).await;
    let shop = open(&place, &door, &[]).await;
    let client = Client::new(&shop.url);
    let mut orders = Vec::new();
    for number in 0..PAYMENTS {
        orders.push(client.demo_pencil(&format!("hang-{number}")).await);
    }
    door.becomes(Mode::Silent);
    let paying: Vec<_> = orders
        .iter()
        .map(|order_no| {
            let (client, order_no) = (client.clone(), order_no.clone());
            tokio::spawn(async move { client.demo_post(&order_no, "payments", Some(&webhook())).await })
        })
        .collect();
    place
        .wait_number(
            "SELECT COUNT(*) FROM payment WHERE status = 'CREATING'",
            i64::try_from(PAYMENTS).unwrap(),
        )
        .await;
    // All of them hang at the provider now, and the shop goes on.
    let body = one_pencil();
    let started = Instant::now();
    let (form, placed, callback) = futures::join!(
        client.load_form("SKU-2"),
        client.place_as_demo("meanwhile", &body),
        async {
            let provider = Provider::with_keys(SandboxKeys::open(gateway.directory()).unwrap());
            let what = provider.paid(&format!("{}-S1", orders[0]), "T-MEANWHILE", PENCIL_FEN);
            provider.send(&shop.url, ChannelId::Webhook, &what).await
        }
    );
    let took = started.elapsed();
    assert_eq!((form.status.as_u16(), placed.status.as_u16()), (200, 201));
    assert_acknowledged(ChannelId::Webhook, &callback);
    assert_eq!(
        client.demo_read(&orders[0]).await["status"],
        "PAID",
        "no lock is held on its row"
    );
    assert!(
        took < Duration::from_secs(2),
        "{took:?} is less than one patience with the provider"
    );
    assert_eq!(client.demo_post(&orders[1], "cancel", None).await.status, 200);
    let after_cancel = client.demo_post(&orders[1], "payments", Some(&webhook())).await;
    for reply in join_all(paying).await {
        let reply = reply.unwrap();
        assert_eq!(problem(&reply), (503, "unavailable".to_owned()), "{}", reply.body);
        assert_eq!(reply.header("retry-after"), "2");
    }
    assert!(
        matches!(after_cancel.status.as_u16(), 409 | 503),
        "{}",
        after_cancel.body
    );
    let closed = client.demo_post(&orders[1], "payments", Some(&webhook())).await;
    assert_eq!(
        problem(&closed),
        (409, "order-not-payable".to_owned()),
        "nothing is begun for a closed order, although its payment cannot be closed now"
    );
    door.becomes(Mode::Open);
    let numbers = join_all(
        orders[2..]
            .iter()
            .map(|order_no| client.demo_pay(order_no, ChannelId::Webhook)),
    )
    .await;
    for (number, order_no) in numbers.iter().zip(&orders[2..]) {
        assert_eq!(*number, format!("{order_no}-S1"));
    }
    assert_eq!(
        place.number("SELECT COUNT(*) FROM payment").await,
        i64::try_from(PAYMENTS).unwrap()
    );
    assert_eq!(payments_there(&gateway).await, i64::try_from(PAYMENTS - 2).unwrap());
    place.assert_consistent().await;
}

async fn a_provider_that_is_not_who_it_says_is_not_believed(backend: Backend) {
    let (gateway, place) = (Place::new(Backend::Sqlite).await, Place::new(backend).await);
    let behind = gateway.open().await;
    let door = Door::before(&gateway, &behind).await;
    let shop = open(&place, &door, &[]).await;
    let client = Client::new(&shop.url);
    let order_no = client.demo_pencil("unsigned").await;
    door.becomes(Mode::Unsigned);
    let unsigned = client.demo_post(&order_no, "payments", Some(&webhook())).await;
    assert_eq!(problem(&unsigned), (503, "unavailable".to_owned()));
    door.becomes(Mode::Refusing);
    let refused = client.demo_post(&order_no, "payments", Some(&webhook())).await;
    assert_eq!(problem(&refused), (409, "channel-refused".to_owned()));
    assert_eq!(refused.header("retry-after"), "");
    let order = client.demo_read(&order_no).await;
    assert_eq!(
        (&order["status"], &order["payments"][0]["action"]),
        (&"WAIT_PAY".into(), &Value::Null)
    );
    // The form says it in words, and is left.
    let browser = Client::new(&shop.url);
    let own = browser
        .place(&browser.api_token().await, &one_pencil())
        .await
        .order_no();
    let press = || {
        let request = browser.request(Method::POST, &format!("/orders/{own}/payments"));
        Reply::to(request.form(&[("channel", "webhook")]))
    };
    let page = press().await;
    assert_eq!(
        (page.status.as_u16(), crate::support::page::notice(&page.body).as_str()),
        (409, "channel-refused")
    );
    door.becomes(Mode::Silent);
    let page = press().await;
    assert_eq!(
        (page.status.as_u16(), crate::support::page::notice(&page.body).as_str()),
        (503, "payment-unreachable")
    );
    door.becomes(Mode::Open);
    assert_eq!(press().await.status, 303);
    let payment_no = client.demo_pay(&order_no, ChannelId::Webhook).await;
    assert_eq!(
        payment_no,
        format!("{order_no}-S2"),
        "what was refused is over; the next press begins another"
    );
    assert_eq!(payments_there(&gateway).await, 2);
}

async fn a_payment_cut_off_before_its_provider_is_asked_is_driven_on(backend: Backend) {
    cut_off_at("after_intent", 0, backend).await;
}

async fn a_payment_cut_off_after_its_provider_was_asked_is_driven_on(backend: Backend) {
    cut_off_at("after_asking", 1, backend).await;
}

async fn cut_off_at(point: &str, known_there: i64, backend: Backend) {
    let (gateway, place) = (Place::new(Backend::Sqlite).await, Place::new(backend).await);
    let behind = gateway.open().await;
    let door = Door::before(&gateway, &behind).await;
    let mut flags = door.flags();
    flags.push(format!("--fault={point}:abort"));
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let mut doomed = place.spawn(&flags);
    let client = Client::new(&doomed.url);
    let order_no = client.demo_pencil("cut").await;
    let request = client.request(Method::POST, &format!("/api/orders/{order_no}/payments"));
    let answer = request.bearer_auth("demo").json(&webhook()).send().await;
    assert!(answer.is_err(), "a server that is killed at {point} does not answer");
    doomed.wait_for_end();
    assert_eq!(payments_there(&gateway).await, known_there);
    assert_eq!(
        place
            .number("SELECT COUNT(*) FROM payment WHERE status = 'CREATING'")
            .await,
        1
    );
    // Half a minute later a server drives it on by itself.
    let shop = open(&place, &door, &["--clock-offset-seconds=31"]).await;
    let client = client.at(&shop.url);
    let order = client
        .demo_wait(&order_no, "its payment is open", |order| {
            order["payments"][0]["status"] == "OPEN"
        })
        .await;
    let payment = &order["payments"][0];
    assert_eq!(payment["payment_no"], format!("{order_no}-S1"));
    assert_eq!(
        state_at(&client, payment["action"]["url"].as_str().unwrap()).await,
        "open"
    );
    assert_eq!(
        client.demo_pay(&order_no, ChannelId::Webhook).await,
        format!("{order_no}-S1")
    );
    assert_eq!(payments_there(&gateway).await, 1);
    assert_eq!(place.number("SELECT COUNT(*) FROM payment").await, 1);
}

async fn a_refund_whose_provider_hangs_is_driven_on_with_its_number(backend: Backend) {
    let (gateway, place) = (Place::new(Backend::Sqlite).await, Place::new(backend).await);
    // Refunds there end at once.
    let behind = gateway.open_with(&["--sandbox-gap-scale=0"]).await;
    let door = Door::before(&gateway, &behind).await;
    let shop = open(&place, &door, &[]).await;
    let client = Client::new(&shop.url);
    let order_no = client.place_as_demo("away", &hundred_yuan()).await.order_no();
    let payment_no = client.demo_pay(&order_no, ChannelId::Webhook).await;
    let cashier = cashier_of(&client, &order_no, &payment_no).await;
    press(&client, &cashier, "pay", "silent").await;
    let paid = Reply::to(client.http.get(&cashier)).await.body;
    let transaction = &paid[paid.find("txn_").expect("its transaction")..];
    let transaction = transaction
        .split(|letter: char| letter != '_' && !letter.is_ascii_alphanumeric())
        .next();
    let provider = Provider::with_keys(SandboxKeys::open(gateway.directory()).unwrap());
    let what = provider.paid(&payment_no, transaction.unwrap(), super::cashier::HUNDRED_YUAN_FEN);
    assert_acknowledged(
        ChannelId::Webhook,
        &provider.send(&shop.url, ChannelId::Webhook, &what).await,
    );
    door.becomes(Mode::Silent);
    assert_eq!(
        client.demo_refund(&order_no, "RF-AWAY", 1_000).await.status,
        201,
        "it is accepted at once"
    );
    let failed = "SELECT COUNT(*) FROM outbox_delivery WHERE status = 'due' AND last_error <> ''";
    place.wait_number(failed, 1).await;
    assert_eq!(client.demo_read(&order_no).await["refunds"][0]["status"], "ASKED");
    shop.close().await;
    door.becomes(Mode::Open);
    let later = open(&place, &door, &["--clock-offset-seconds=40"]).await;
    let order = client
        .at(&later.url)
        .demo_wait(&order_no, "it goes back", |order| order["refunded_fen"] != 0)
        .await;
    assert_eq!(order["refunded_fen"], 1_000);
    assert_eq!(order["refunds"].as_array().unwrap().len(), 1);
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}
