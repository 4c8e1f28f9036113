//! The gate: several servers on one PostgreSQL and one Redis, and a Redis that goes away, forgets or freezes in the middle. It
//! sheds duplicates; it never decides.

use crate::{
    duplicates::wait_until,
    support::{
        client::{Client, Reply, one_pencil},
        services::{Postgres, Redis},
        shop::{Backend, Place, ShopProcess},
    },
};
use futures::future::join_all;
use std::collections::HashSet;

/// Fifty identical requests at once, half to each of two servers, and something that happens while the first is at work.
async fn fifty_over_two_servers(redis: Redis, happening: impl AsyncFnOnce(Redis) -> Redis) {
    let place = Place::on(Some(Postgres::shared().new_database().await), Some(redis.url()));
    let hold = place.directory().join("hold");
    // The held server makes sure that it happens in the middle; the other one gets its duplicates.
    let servers = [
        place.spawn(&[&format!("--fault=after_claim:hold:{}", hold.display())]),
        place.spawn(&[]),
    ];
    let client = Client::new(&servers[0].url);
    let first = tokio::spawn(fire(client.clone(), 1));
    wait_until(|| hold.exists()).await;
    let others: Vec<_> = (0..49)
        .map(|number| tokio::spawn(fire(client.at(&servers[number % 2].url), 1)))
        .collect();
    let redis = happening(redis).await;
    std::fs::remove_file(&hold).unwrap();
    let mut replies = first.await.unwrap();
    for other in others {
        replies.extend(other.await.unwrap());
    }
    assert_same_bytes(&replies);
    assert_eq!(place.orders().await, 1);
    place.assert_consistent().await;
    drop(redis);
}

async fn fire(client: Client, times: usize) -> Vec<Reply> {
    let body = one_pencil();
    join_all((0..times).map(|_| client.place_as_demo("fifty", &body))).await
}

fn assert_same_bytes(replies: &[Reply]) {
    let answers: HashSet<_> = replies
        .iter()
        .map(|reply| (reply.status, reply.body.clone(), reply.header("location").to_owned()))
        .collect();
    assert_eq!(answers.len(), 1, "{answers:?}");
    replies[0].order_no();
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_identical_requests_over_two_servers_make_one_order() {
    fifty_over_two_servers(Redis::own(), async |redis| redis).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_stopped_in_the_middle_changes_nothing() {
    fifty_over_two_servers(Redis::own(), async |mut redis| {
        redis.stop();
        redis
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_flushed_in_the_middle_changes_nothing() {
    fifty_over_two_servers(Redis::own(), async |redis| {
        redis.flush().await;
        redis
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_frozen_in_the_middle_changes_nothing() {
    fifty_over_two_servers(Redis::own(), async |redis| {
        redis.freeze();
        redis
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_over_two_servers_makes_one_order_per_key() {
    let place = Place::new(Backend::PostgresAndRedis).await;
    let servers: [ShopProcess; 2] = [place.spawn(&[]), place.spawn(&[])];
    let client = Client::new(&servers[0].url);
    let body = one_pencil();
    for key in ["storm-a", "storm-b", "storm-c"] {
        let replies = join_all((0..50).map(|number| {
            let client = client.at(&servers[number % 2].url);
            let body = body.clone();
            async move { client.place_as_demo(key, &body).await }
        }))
        .await;
        assert_same_bytes(&replies);
    }
    assert_eq!(place.orders().await, 3);
    place.assert_consistent().await;
}

/// The first holds the fence's row lock; the INSERT of a duplicate at another server would wait for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_duplicate_at_another_server_is_told_to_come_back_while_the_first_holds_its_fence() {
    let place = Place::on(Some(Postgres::shared().new_database().await), None);
    let hold = place.directory().join("hold");
    let holding = place
        .open_with(&[&format!("--fault=after_fence:hold:{}", hold.display())])
        .await;
    let other = place.open().await;
    let client = Client::new(&holding.url);
    let first = tokio::spawn(fire(client.clone(), 1));
    wait_until(|| hold.exists()).await;
    let duplicate = client.at(&other.url).place_as_demo("fifty", &one_pencil()).await;
    assert_eq!(
        (duplicate.status.as_u16(), duplicate.problem().as_str()),
        (409, "still-running"),
        "{}",
        duplicate.body
    );
    std::fs::remove_file(&hold).unwrap();
    let first = first.await.unwrap();
    assert_eq!(
        client.at(&other.url).place_as_demo("fifty", &one_pencil()).await.body,
        first[0].body
    );
    assert_eq!(place.orders().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redis_that_forgot_everything_is_no_way_to_a_second_order() {
    let redis = Redis::own();
    let place = Place::on(Some(Postgres::shared().new_database().await), Some(redis.url()));
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let first = client.place_as_demo("forgotten", &one_pencil()).await;
    redis.flush().await;
    let again = client.place_as_demo("forgotten", &one_pencil()).await;
    assert_eq!(again.body, first.body);
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(place.orders().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shop_opens_and_sells_while_redis_is_away() {
    let mut redis = Redis::own();
    let place = Place::on(Some(Postgres::shared().new_database().await), Some(redis.url()));
    redis.stop();
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let first = client.place_as_demo("away", &one_pencil()).await;
    assert_eq!(
        client.place_as_demo("away", &one_pencil()).await.order_no(),
        first.order_no()
    );
    assert_eq!(client.get("/health/ready").await.json()["status"], "degraded");
    redis.start();
    client.place_as_demo("back", &one_pencil()).await.order_no();
    assert_eq!(place.orders().await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_accepted_result_is_written_through_and_the_gate_released() {
    let redis = Redis::own();
    let place = Place::on(Some(Postgres::shared().new_database().await), Some(redis.url()));
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let first = client.place_as_demo("through", &one_pencil()).await;
    shop.running.executor.tasks.close();
    shop.running.executor.tasks.wait().await;
    assert_eq!(redis.keys().await, 1, "the result is there, the gate is not");
    // The next answer comes from Redis: it is right even while the record is out of sight.
    let database = place.database().await;
    sqlx::query("DELETE FROM idempotent_record")
        .execute(&mut *database.writer().await.unwrap())
        .await
        .unwrap();
    database.close().await;
    assert_eq!(client.place_as_demo("through", &one_pencil()).await.body, first.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_databases_on_one_redis_never_see_each_others_results() {
    let redis = Redis::own();
    let mut numbers = HashSet::new();
    for _ in 0..2 {
        let place = Place::on(Some(Postgres::shared().new_database().await), Some(redis.url()));
        let shop = place.open().await;
        numbers.insert(
            Client::new(&shop.url)
                .place_as_demo("same", &one_pencil())
                .await
                .order_no(),
        );
        assert_eq!(place.orders().await, 1);
        shop.close().await;
    }
    assert_eq!(numbers.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forged_request_leaves_no_trace_in_database_or_redis() {
    let redis = Redis::own();
    let place = Place::on(Some(Postgres::shared().new_database().await), Some(redis.url()));
    let shop = place.open().await;
    let (owner, stranger) = (Client::new(&shop.url), Client::new(&shop.url));
    let token = owner.api_token().await;
    stranger.api_token().await;
    for reply in [
        stranger.place(&token, &one_pencil()).await,
        owner.place("forged", &one_pencil()).await,
    ] {
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (403, "unknown-token")
        );
    }
    assert_eq!(redis.keys().await, 0);
    assert_eq!(place.number("SELECT COUNT(*) FROM idempotent_record").await, 0);
    owner.place(&token, &one_pencil()).await.order_no();
}
