//! Duplicates: one key, one order, one answer, however often and however fast it is sent.

use crate::support::{
    client::{Client, Reply, form, one_pencil, order},
    on_both_databases,
    shop::{Backend, Place},
};
use futures::future::join_all;
use std::collections::HashSet;

on_both_databases!(
    fifty_identical_requests_at_once_make_one_order_and_get_the_same_bytes,
    a_duplicate_of_a_finished_request_gets_the_first_answer_byte_for_byte,
    a_duplicate_waits_for_the_first_to_finish,
    a_duplicate_of_a_slow_request_is_told_to_come_back,
    a_key_used_for_another_order_is_refused_and_changes_nothing,
    another_meaning_while_the_first_runs_is_never_called_a_reused_key,
    a_refusal_leaves_the_key_free_for_a_corrected_body,
    a_refusal_leaves_the_key_free_for_the_same_body,
    duplicates_that_wait_for_a_refusal_get_it_too,
    a_client_that_hangs_up_changes_nothing,
    one_token_posted_as_a_form_and_by_fetch_is_one_order_with_two_fitting_answers,
    opposite_line_orders_do_not_deadlock,
    stock_is_never_oversold,
);

async fn fifty_identical_requests_at_once_make_one_order_and_get_the_same_bytes(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let body = one_pencil();
    let replies = join_all((0..50).map(|_| client.place_as_demo("fifty", &body))).await;
    let bodies: HashSet<_> = replies.iter().map(|reply| (reply.status, reply.body.clone())).collect();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    let locations: HashSet<_> = replies.iter().map(|reply| reply.header("location")).collect();
    assert_eq!(locations.len(), 1);
    let first_answers = replies
        .iter()
        .filter(|reply| reply.header("idempotency-replayed").is_empty())
        .count();
    assert_eq!(first_answers, 1, "exactly one of them was the first");
    replies[0].order_no();
    assert_eq!(place.orders().await, 1);
    place.assert_consistent().await;
}

async fn a_duplicate_of_a_finished_request_gets_the_first_answer_byte_for_byte(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let first = client.place_as_demo("again", &one_pencil()).await;
    assert_eq!(first.header("idempotency-replayed"), "");
    let again = client.place_as_demo("again", &one_pencil()).await;
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    assert_eq!(again.header("location"), first.header("location"));
    assert_eq!(again.header("content-type"), first.header("content-type"));
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(place.orders().await, 1);
}

async fn a_duplicate_waits_for_the_first_to_finish(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&["--fault", "after_claim:delay:600"]).await;
    let client = Client::new(&shop.url);
    let body = one_pencil();
    let (first, second) = tokio::join!(client.place_as_demo("wait", &body), client.place_as_demo("wait", &body));
    assert_eq!(first.body, second.body);
    assert_eq!(place.orders().await, 1);
}

async fn a_duplicate_of_a_slow_request_is_told_to_come_back(backend: Backend) {
    let place = Place::new(backend).await;
    let hold = place.directory().join("hold");
    let shop = place
        .open_with(&["--fault", &format!("after_claim:hold:{}", hold.display())])
        .await;
    let client = Client::new(&shop.url);
    let first = tokio::spawn({
        let client = client.clone();
        async move { client.place_as_demo("slow", &one_pencil()).await }
    });
    wait_until(|| hold.exists()).await;
    let duplicate = client.place_as_demo("slow", &one_pencil()).await;
    assert_eq!(duplicate.status, 409, "{}", duplicate.body);
    assert_eq!(duplicate.problem(), "still-running");
    assert_eq!(duplicate.header("retry-after"), "1");
    std::fs::remove_file(&hold).unwrap();
    let order_no = first.await.unwrap().order_no();
    assert_eq!(client.place_as_demo("slow", &one_pencil()).await.order_no(), order_no);
}

async fn a_key_used_for_another_order_is_refused_and_changes_nothing(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let first = client.place_as_demo("reuse", &one_pencil()).await;
    let other = client.place_as_demo("reuse", &order(&[("SKU-1", 2)])).await;
    assert_eq!((other.status.as_u16(), other.problem().as_str()), (422, "key-reused"));
    assert_eq!(client.place_as_demo("reuse", &one_pencil()).await.body, first.body);
    assert_eq!(place.orders().await, 1);
}

async fn another_meaning_while_the_first_runs_is_never_called_a_reused_key(backend: Backend) {
    let place = Place::new(backend).await;
    let hold = place.directory().join("hold");
    let shop = place
        .open_with(&["--fault", &format!("after_claim:hold:{}", hold.display())])
        .await;
    let client = Client::new(&shop.url);
    let first = tokio::spawn({
        let client = client.clone();
        async move { client.place_as_demo("other", &order(&[("SKU-404", 1)])).await }
    });
    wait_until(|| hold.exists()).await;
    let other = tokio::spawn({
        let client = client.clone();
        async move { client.place_as_demo("other", &one_pencil()).await }
    });
    std::fs::remove_file(&hold).unwrap();
    assert_eq!(first.await.unwrap().problem(), "unknown-product");
    // The refused first one freed the key while the second waited; its own fault point holds it now.
    wait_until(|| hold.exists()).await;
    std::fs::remove_file(&hold).unwrap();
    other.await.unwrap().order_no();
}

async fn a_refusal_leaves_the_key_free_for_a_corrected_body(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let refused = client.place_as_demo("correct", &order(&[("SKU-10", 11)])).await;
    assert_eq!((refused.status.as_u16(), refused.problem().as_str()), (409, "sold-out"));
    assert_eq!(refused.header("retry-after"), "");
    assert_eq!(refused.json()["available"], 10);
    client
        .place_as_demo("correct", &order(&[("SKU-10", 10)]))
        .await
        .order_no();
    assert_eq!(
        client
            .place_as_demo("correct", &order(&[("SKU-10", 11)]))
            .await
            .problem(),
        "key-reused"
    );
    assert_eq!(place.orders().await, 1);
    place.assert_consistent().await;
}

async fn a_refusal_leaves_the_key_free_for_the_same_body(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let body = order(&[("SKU-10", 11)]);
    assert_eq!(client.place_as_demo("same", &body).await.problem(), "sold-out");
    let database = place.database().await;
    sqlx::query("UPDATE product SET available = 20 WHERE sku = 'SKU-10'")
        .execute(&mut *database.writer().await.unwrap())
        .await
        .unwrap();
    database.close().await;
    client.place_as_demo("same", &body).await.order_no();
}

async fn duplicates_that_wait_for_a_refusal_get_it_too(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&["--fault", "after_claim:delay:300"]).await;
    let client = Client::new(&shop.url);
    let body = order(&[("SKU-10", 11)]);
    let replies = join_all((0..5).map(|_| client.place_as_demo("refused", &body))).await;
    for reply in replies {
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (409, "sold-out"),
            "{}",
            reply.body
        );
    }
    assert_eq!(
        place.number("SELECT attempt FROM idempotent_record").await,
        1,
        "they did not each try for themselves"
    );
}

async fn a_client_that_hangs_up_changes_nothing(backend: Backend) {
    let place = Place::new(backend).await;
    let hold = place.directory().join("hold");
    let shop = place
        .open_with(&["--fault", &format!("after_claim:hold:{}", hold.display())])
        .await;
    let client = Client::new(&shop.url);
    let first = tokio::spawn({
        let request = client.demo_order("hang-up", &one_pencil());
        async move { request.send().await }
    });
    wait_until(|| hold.exists()).await;
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    std::fs::remove_file(&hold).unwrap();
    client.place_as_demo("hang-up", &one_pencil()).await.order_no();
    assert_eq!(place.orders().await, 1);
    assert_eq!(
        place.number("SELECT attempt FROM idempotent_record").await,
        1,
        "the first one's work ran to its end"
    );
}

async fn one_token_posted_as_a_form_and_by_fetch_is_one_order_with_two_fitting_answers(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    let fields = form(&token, &[("SKU-1", 1)]);
    let body = one_pencil();
    let (by_form, by_fetch): (Reply, Reply) =
        tokio::join!(client.post_form("SKU-1", &fields), client.place(&token, &body));
    assert_eq!(by_form.status, 303, "{}", by_form.body);
    assert_eq!(by_form.header("location"), format!("/orders/{}", by_fetch.order_no()));
    assert_eq!(by_fetch.header("location"), by_form.header("location"));
    assert_eq!(place.orders().await, 1);
}

async fn opposite_line_orders_do_not_deadlock(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let replies = join_all((0..200).map(|number| {
        let client = client.clone();
        let lines = if number % 2 == 0 {
            [("SKU-1", 1), ("SKU-2", 1)]
        } else {
            [("SKU-2", 1), ("SKU-1", 1)]
        };
        async move { client.place_as_demo(&format!("lines-{number}"), &order(&lines)).await }
    }))
    .await;
    for reply in replies {
        reply.order_no();
    }
    assert_eq!(
        place.number("SELECT reserved FROM product WHERE sku = 'SKU-2'").await,
        200
    );
    place.assert_consistent().await;
}

async fn stock_is_never_oversold(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    // A cart whose second line falls short takes nothing of the first.
    let short = client
        .place_as_demo("short", &order(&[("SKU-1", 1), ("SKU-10", 11)]))
        .await;
    assert_eq!(short.problem(), "sold-out");
    assert_eq!(
        place.number("SELECT reserved FROM product WHERE sku = 'SKU-1'").await,
        0
    );
    let replies = join_all((0..100).map(|number| {
        let client = client.clone();
        async move {
            client
                .place_as_demo(&format!("mug-{number}"), &order(&[("SKU-10", 1)]))
                .await
        }
    }))
    .await;
    let sold = replies.iter().filter(|reply| reply.status == 201).count();
    assert_eq!(sold, 10);
    assert!(
        replies
            .iter()
            .filter(|reply| reply.status != 201)
            .all(|reply| reply.problem() == "sold-out")
    );
    assert_eq!(
        place.number("SELECT available FROM product WHERE sku = 'SKU-10'").await,
        0
    );
    place.assert_consistent().await;
}

/// Waits for a condition that another process or task brings about.
pub async fn wait_until(condition: impl Fn() -> bool) {
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(30);
    while !condition() {
        assert!(tokio::time::Instant::now() < deadline, "the condition comes true");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}
