//! Crashes: clients that hang up, servers that die at the worst moment, a database that is cut off. Whatever happens, each key
//! that is retried ends with exactly one order, and none is stuck past its lease.

use crate::{
    duplicates::wait_until,
    support::{
        client::{Client, one_pencil, order},
        on_both_databases,
        proxy::CommitCutter,
        services::{Postgres, Redis},
        shop::{Backend, Place},
    },
};
use futures::{StreamExt as _, future::join_all, stream};
use std::time::Duration;

on_both_databases!(
    two_hundred_requests_cut_by_the_client_end_with_one_order_each,
    fifty_submits_killed_after_the_claim_end_with_one_order_each,
    fifty_submits_killed_after_the_fence_end_with_one_order_each,
    fifty_submits_killed_after_the_commit_end_with_one_order_each,
    fifty_submits_killed_before_the_answer_end_with_one_order_each,
    a_panic_in_mid_work_loses_nothing,
    a_claim_of_a_clock_that_was_an_hour_ahead_does_not_hold_its_key_for_an_hour,
);

async fn two_hundred_requests_cut_by_the_client_end_with_one_order_each(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let body = one_pencil();
    // Ten at a time, cut after 0 to 50 ms.
    stream::iter(0..200_u64)
        .for_each_concurrent(10, |number| {
            let request = client.demo_order(&format!("cut-{number}"), &body).send();
            async move {
                let _ = tokio::time::timeout(Duration::from_micros(number * 250), request).await;
            }
        })
        .await;
    let keys: Vec<_> = (0..200).map(|number| format!("cut-{number}")).collect();
    assert_one_order_each(&place, &client, &keys).await;
}

async fn fifty_submits_killed_after_the_claim_end_with_one_order_each(backend: Backend) {
    killed_at("after_claim", backend).await;
}

async fn fifty_submits_killed_after_the_fence_end_with_one_order_each(backend: Backend) {
    killed_at("after_fence", backend).await;
}

async fn fifty_submits_killed_after_the_commit_end_with_one_order_each(backend: Backend) {
    killed_at("after_commit", backend).await;
}

async fn fifty_submits_killed_before_the_answer_end_with_one_order_each(backend: Backend) {
    killed_at("before_answer", backend).await;
}

/// Fifty servers, each killed by its first order at a named point; then one that lives gets all the retries.
async fn killed_at(point: &str, backend: Backend) {
    const KILLS: usize = 50;
    let place = Place::new(backend).await;
    let fault = format!("--fault={point}:abort");
    let keys: Vec<_> = (0..KILLS).map(|number| format!("killed-{number}")).collect();
    for key in &keys {
        let mut doomed = place.spawn(&[&fault]);
        let answer = Client::new(&doomed.url).demo_order(key, &one_pencil()).send().await;
        assert!(answer.is_err(), "a server that is killed at {point} does not answer");
        doomed.wait_for_end();
    }
    let committed = matches!(point, "after_commit" | "before_answer");
    assert_eq!(
        place.orders().await,
        if committed { i64::try_from(KILLS).unwrap() } else { 0 }
    );
    let shop = place.open().await;
    assert_one_order_each(&place, &Client::new(&shop.url), &keys).await;
}

async fn a_claim_of_a_clock_that_was_an_hour_ahead_does_not_hold_its_key_for_an_hour(backend: Backend) {
    let place = Place::new(backend).await;
    let mut doomed = place.spawn(&["--clock-offset-seconds=3600", "--fault=after_claim:abort"]);
    let answer = Client::new(&doomed.url).demo_order("ahead", &one_pencil()).send().await;
    assert!(answer.is_err());
    doomed.wait_for_end();
    let shop = place.open().await;
    assert_one_order_each(&place, &Client::new(&shop.url), &["ahead".to_owned()]).await;
}

async fn a_panic_in_mid_work_loses_nothing(backend: Backend) {
    let place = Place::new(backend).await;
    let mut keys = Vec::new();
    for point in ["after_claim", "after_fence", "after_commit"] {
        let key = format!("panic-{point}");
        let mut panicking = place.spawn(&[&format!("--fault={point}:panic")]);
        let client = Client::new(&panicking.url);
        let answer = client.place_as_demo(&key, &one_pencil()).await;
        assert_eq!(
            (answer.status.as_u16(), answer.problem().as_str()),
            (500, "internal-error")
        );
        assert_eq!(client.get("/health/live").await.status, 200, "the server lives on");
        panicking.kill();
        keys.push(key);
    }
    let shop = place.open().await;
    assert_one_order_each(&place, &Client::new(&shop.url), &keys).await;
}

/// Retries every key until it is answered, twice, and looks at the database.
async fn assert_one_order_each(place: &Place, client: &Client, keys: &[String]) {
    let body = one_pencil();
    let first = join_all(keys.iter().map(|key| client.place_as_demo_until_answered(key, &body))).await;
    let again = join_all(keys.iter().map(|key| client.place_as_demo_until_answered(key, &body))).await;
    for (first, again) in first.iter().zip(&again) {
        assert_eq!(first.order_no(), again.order_no());
        assert_eq!(first.body, again.body);
        assert_eq!(again.header("idempotency-replayed"), "true");
    }
    assert_eq!(place.orders().await, i64::try_from(keys.len()).unwrap());
    assert_eq!(
        place
            .number("SELECT COUNT(*) FROM idempotent_record WHERE status <> 1")
            .await,
        0,
        "none is stuck"
    );
    place.assert_consistent().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_stopped_immediately_in_mid_order_twenty_times_loses_nothing() {
    let mut postgres = Postgres::own();
    let place = Place::on(Some(postgres.new_database().await), Some(Redis::shared().url()));
    let holds = [place.directory().join("claim"), place.directory().join("fence")];
    let after_claim = place
        .open_with(&[&format!("--fault=after_claim:hold:{}", holds[0].display())])
        .await;
    let after_fence = place
        .open_with(&[&format!("--fault=after_fence:hold:{}", holds[1].display())])
        .await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let mut keys = Vec::new();
    for round in 0..20 {
        let key = format!("stopped-{round}");
        let (url, hold) = if round % 2 == 0 {
            (&after_claim.url, &holds[0])
        } else {
            (&after_fence.url, &holds[1])
        };
        let doomed = tokio::spawn({
            let request = client.at(url).demo_order(&key, &one_pencil());
            async move { request.send().await.expect("an answer").status() }
        });
        wait_until(|| hold.exists()).await;
        postgres.stop_immediately();
        std::fs::remove_file(hold).unwrap();
        assert_eq!(doomed.await.unwrap(), 503);
        postgres.start();
        client
            .place_as_demo_until_answered(&key, &one_pencil())
            .await
            .order_no();
        keys.push(key);
    }
    assert_one_order_each(&place, &client, &keys).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_cut_at_commit_fifty_times_makes_one_order_each() {
    let database_url = Postgres::shared().new_database().await;
    let direct = Place::on(Some(database_url.clone()), None);
    direct.open().await.close().await; // The tables, before anything is cut.
    let cutter = CommitCutter::in_front_of(Postgres::shared().port()).await;
    let through = database_url.replace(
        &format!(":{}/", Postgres::shared().port()),
        &format!(":{}/", cutter.port),
    );
    let place = Place::on(Some(through), None);
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let keys: Vec<_> = (0..50).map(|number| format!("commit-{number}")).collect();
    for (number, key) in keys.iter().enumerate() {
        cutter.arm();
        let unknown = client.place_as_demo(key, &one_pencil()).await;
        assert_eq!(
            (unknown.status.as_u16(), unknown.problem().as_str()),
            (503, "unavailable"),
            "{}",
            unknown.body
        );
        assert!(!unknown.body.contains("duplicate key"));
        assert_eq!(cutter.cuts(), number + 1);
        client.place_as_demo_until_answered(key, &one_pencil()).await.order_no();
    }
    assert_one_order_each(&direct, &client, &keys).await;
}

/// A server that was away past its lease wakes up while another one has taken its claim over for a corrected order.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_was_taken_over_cannot_be_completed() {
    let place = Place::new(Backend::PostgresAndRedis).await;
    let (sleeping, working) = (place.directory().join("sleeping"), place.directory().join("working"));
    let sleeper = place
        .open_with(&[&format!("--fault=after_claim:hold:{}", sleeping.display())])
        .await;
    // Its clock is a minute ahead, so that the sleeper's lease is over without a wait.
    let fault = format!("--fault=after_claim:hold:{}", working.display());
    let successor = place.open_with(&[&fault, "--clock-offset-seconds=60"]).await;
    let client = Client::new(&sleeper.url);
    let one = tokio::spawn({
        let client = client.clone();
        async move { client.place_as_demo("zombie", &order(&[("SKU-1", 1)])).await }
    });
    wait_until(|| sleeping.exists()).await;
    let two = tokio::spawn({
        let client = client.at(&successor.url);
        async move { client.place_as_demo("zombie", &order(&[("SKU-1", 2)])).await }
    });
    wait_until(|| working.exists()).await;
    std::fs::remove_file(&sleeping).unwrap();
    let woken = one.await.unwrap();
    assert_eq!(
        (woken.status.as_u16(), woken.problem().as_str()),
        (409, "still-running"),
        "{}",
        woken.body
    );
    assert_eq!(place.orders().await, 0);
    std::fs::remove_file(&working).unwrap();
    let accepted = two.await.unwrap();
    assert_eq!(accepted.json()["total_fen"], 6);
    assert_eq!(
        client
            .at(&successor.url)
            .place_as_demo("zombie", &order(&[("SKU-1", 1)]))
            .await
            .problem(),
        "key-reused"
    );
    assert_eq!(place.number("SELECT attempt FROM idempotent_record").await, 2);
    assert_eq!(place.orders().await, 1);
    place.assert_consistent().await;
}

/// The order's own key outlives the record: a key whose record is gone still makes no second order.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_whose_record_is_gone_leads_to_its_order() {
    for backend in [Backend::Sqlite, Backend::PostgresAndRedis] {
        let mut place = Place::new(backend).await;
        place.redis_url = None;
        let shop = place.open().await;
        let client = Client::new(&shop.url);
        let order_no = client.place_as_demo("old", &one_pencil()).await.order_no();
        let database = place.database().await;
        sqlx::query("DELETE FROM idempotent_record")
            .execute(&mut *database.writer().await.unwrap())
            .await
            .unwrap();
        database.close().await;
        for _ in 0..2 {
            let gone = client.place_as_demo("old", &one_pencil()).await;
            assert_eq!((gone.status.as_u16(), gone.problem().as_str()), (410, "record-expired"));
            assert_eq!(gone.json()["order_no"], order_no);
        }
        assert_eq!(place.orders().await, 1);
        place.assert_consistent().await;
        shop.close().await;
    }
}
