//! A callback is acknowledged only when its effect is durable: servers that die at every point, and a database that cannot be
//! written, lose no payment and count none twice.
//!
//! `ONCEMART_TEST_ROUNDS` is how many payments each test loses its server or database for.

use crate::support::{
    client::Client,
    on_both_databases,
    payment::{PENCIL_FEN, Provider, assert_acknowledged, assert_not_now, is_acknowledged},
    services::{Postgres, Redis},
    shop::{Backend, Place},
};
use futures::future::join_all;
use server::{
    channels::ChannelId,
    sandbox::sign::{Tamper, What},
};
use std::time::{Duration, Instant};

on_both_databases!(
    callbacks_killed_after_the_claim_are_paid_by_their_retry,
    callbacks_killed_after_the_fence_are_paid_by_their_retry,
    callbacks_killed_after_the_commit_are_paid_without_their_retry,
    callbacks_killed_before_the_answer_are_paid_without_their_retry,
    a_server_killed_right_after_it_acknowledged_has_kept_the_payment,
    a_callback_that_finds_its_order_locked_is_applied_by_its_retry,
);

fn rounds() -> usize {
    let rounds = std::env::var("ONCEMART_TEST_ROUNDS");
    rounds.map_or(10, |rounds| rounds.parse().expect("ONCEMART_TEST_ROUNDS is a number"))
}

/// A payment that waits for its money, and the news that will come of it.
struct Waiting {
    channel: ChannelId,
    order_no: String,
    what: What,
}

/// So many payments, of each channel in turn, with nothing left under way.
async fn waiting(place: &Place, provider: &Provider) -> Vec<Waiting> {
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let mut waiting = Vec::new();
    for number in 0..rounds() {
        let channel = ChannelId::ALL[number % ChannelId::ALL.len()];
        let (order_no, payment_no) = client.demo_waiting(&format!("survives-{number}"), channel).await;
        let what = provider.paid(&payment_no, &format!("T-{order_no}"), PENCIL_FEN);
        waiting.push(Waiting {
            channel,
            order_no,
            what,
        });
    }
    place.wait_until_relayed().await;
    shop.close().await;
    waiting
}

/// Tells a shop whose database cannot answer of all payments at once: each is put off, within the provider's time.
async fn assert_all_are_put_off(provider: &Provider, shop: &str, waiting: &[Waiting]) {
    let began = Instant::now();
    let told = waiting
        .iter()
        .map(|waiting| provider.send(shop, waiting.channel, &waiting.what));
    let replies = join_all(told).await;
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "in the provider's time: {:?}",
        began.elapsed()
    );
    for (waiting, reply) in waiting.iter().zip(&replies) {
        assert_not_now(waiting.channel, reply);
    }
}

/// Does what a provider does: sends again until it is acknowledged. Every other answer must be the one that asks for it.
async fn deliver(provider: &Provider, shop: &str, waiting: &Waiting) {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let reply = provider.send(shop, waiting.channel, &waiting.what).await;
        if is_acknowledged(waiting.channel, &reply) {
            return;
        }
        assert_not_now(waiting.channel, &reply);
        assert!(
            Instant::now() < deadline,
            "{} is acknowledged in time",
            waiting.order_no
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn assert_all_paid_once(place: &Place, waiting: &[Waiting]) {
    for Waiting { order_no, .. } in waiting {
        place.assert_paid_once(order_no).await;
    }
    let stuck = "SELECT COUNT(*) FROM idempotent_record WHERE status <> 1";
    assert_eq!(place.number(stuck).await, 0, "none is stuck");
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

async fn paid(place: &Place) -> usize {
    let paid = place.number("SELECT COUNT(*) FROM orders WHERE status = 'PAID'").await;
    usize::try_from(paid).unwrap()
}

async fn callbacks_killed_after_the_claim_are_paid_by_their_retry(backend: Backend) {
    killed_at("after_claim", backend).await;
}

async fn callbacks_killed_after_the_fence_are_paid_by_their_retry(backend: Backend) {
    killed_at("after_fence", backend).await;
}

async fn callbacks_killed_after_the_commit_are_paid_without_their_retry(backend: Backend) {
    killed_at("after_commit", backend).await;
}

async fn callbacks_killed_before_the_answer_are_paid_without_their_retry(backend: Backend) {
    killed_at("before_answer", backend).await;
}

/// One server for each payment, killed at a named point by its callback; then one that lives gets all the retries.
async fn killed_at(point: &str, backend: Backend) {
    let place = Place::new(backend).await;
    let provider = Provider::of(&place);
    let waiting = waiting(&place, &provider).await;
    for Waiting { channel, what, .. } in &waiting {
        let mut doomed = place.spawn(&[&format!("--fault={point}:abort")]);
        let request = provider.signed(*channel, what, Tamper::None);
        let url = format!("{}/callbacks/{channel}", doomed.url);
        let sent = Client::new(&url)
            .http
            .post(&url)
            .headers(request.header_map())
            .body(request.body);
        assert!(
            sent.send().await.is_err(),
            "a server that is killed at {point} acknowledges nothing"
        );
        doomed.wait_for_end();
    }
    let committed = matches!(point, "after_commit" | "before_answer");
    assert_eq!(paid(&place).await, if committed { waiting.len() } else { 0 });
    let shop = place.open().await;
    join_all(waiting.iter().map(|waiting| deliver(&provider, &shop.url, waiting))).await;
    assert_all_paid_once(&place, &waiting).await;
}

async fn a_server_killed_right_after_it_acknowledged_has_kept_the_payment(backend: Backend) {
    let place = Place::new(backend).await;
    let provider = Provider::of(&place);
    let waiting = waiting(&place, &provider).await;
    for (
        round,
        Waiting {
            channel,
            order_no,
            what,
        },
    ) in waiting.iter().enumerate()
    {
        let mut doomed = place.spawn(&[]);
        assert_acknowledged(*channel, &provider.send(&doomed.url, *channel, what).await);
        // At once, and then later and later, up to 50 ms.
        let moment = 50 * round / (waiting.len() - 1).max(1);
        tokio::time::sleep(Duration::from_millis(moment.try_into().unwrap())).await;
        doomed.kill();
        assert_eq!(place.status_of(order_no).await, "PAID", "killed after {moment} ms");
    }
    let shop = place.open().await;
    join_all(waiting.iter().map(|waiting| deliver(&provider, &shop.url, waiting))).await;
    assert_all_paid_once(&place, &waiting).await;
}

/// Somebody else holds the orders' rows (on SQLite, the one lock that there is) for longer than a callback may wait.
async fn a_callback_that_finds_its_order_locked_is_applied_by_its_retry(backend: Backend) {
    let place = Place::new(backend).await;
    let provider = Provider::of(&place);
    let waiting = waiting(&place, &provider).await;
    let shop = place.open().await;
    let database = place.database().await;
    let mut connection = database.writer().await.unwrap();
    let mut locking = database.begin(&mut connection).await.unwrap();
    sqlx::query("UPDATE orders SET note = 'held'")
        .execute(&mut *locking)
        .await
        .unwrap();
    assert_all_are_put_off(&provider, &shop.url, &waiting).await;
    locking.rollback().await.unwrap();
    drop(connection);
    database.close().await;
    join_all(waiting.iter().map(|waiting| deliver(&provider, &shop.url, waiting))).await;
    assert_all_paid_once(&place, &waiting).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_that_finds_postgres_stopped_is_applied_by_its_retry() {
    let mut postgres = Postgres::own();
    let place = Place::on(Some(postgres.new_database().await), Some(Redis::shared().url()));
    let provider = Provider::of(&place);
    let waiting = waiting(&place, &provider).await;
    let shop = place.open().await;
    postgres.stop_immediately();
    assert_all_are_put_off(&provider, &shop.url, &waiting).await;
    postgres.start();
    join_all(waiting.iter().map(|waiting| deliver(&provider, &shop.url, waiting))).await;
    assert_all_paid_once(&place, &waiting).await;
}
