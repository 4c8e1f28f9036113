//! A token's age forbids only a first claim; and the keys that sign tokens can be replaced under way.

use crate::support::{
    client::{Client, form, one_pencil, order},
    on_both_databases,
    page::{field, notice},
    shop::{Backend, Place},
};
use server::signing::SigningKeys;

on_both_databases!(
    a_token_of_23_hours_can_be_used,
    an_old_token_without_a_record_keeps_the_input_and_offers_a_fresh_one,
    an_old_token_that_became_an_order_is_answered_from_it,
    an_old_token_whose_try_was_refused_can_still_be_used,
    an_old_unused_token_is_replaced_at_the_next_load,
    the_first_signing_key_signs_and_all_verify,
);

const IN_23_HOURS: &str = "--clock-offset-seconds=82800";
const IN_25_HOURS: &str = "--clock-offset-seconds=90000";

/// A token shown by a shop that is closed again.
async fn token_of_yesterday(place: &Place, sku: &str) -> (Client, String) {
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token(sku).await;
    shop.close().await;
    (client, token)
}

async fn a_token_of_23_hours_can_be_used(backend: Backend) {
    let place = Place::new(backend).await;
    let (client, token) = token_of_yesterday(&place, "SKU-1").await;
    let shop = place.open_with(&[IN_23_HOURS]).await;
    let client = client.at(&shop.url);
    assert_eq!(client.form_token("SKU-1").await, token);
    client.place(&token, &one_pencil()).await.order_no();
}

async fn an_old_token_without_a_record_keeps_the_input_and_offers_a_fresh_one(backend: Backend) {
    let place = Place::new(backend).await;
    let (client, token) = token_of_yesterday(&place, "SKU-1").await;
    let shop = place.open_with(&[IN_25_HOURS]).await;
    let client = client.at(&shop.url);
    let by_api = client.place(&token, &one_pencil()).await;
    assert_eq!(
        (by_api.status.as_u16(), by_api.problem().as_str()),
        (410, "expired-token")
    );
    let page = client.post_form("SKU-1", &form(&token, &[("SKU-1", 7)])).await;
    assert_eq!(
        (page.status.as_u16(), notice(&page.body).as_str()),
        (410, "token-expired")
    );
    let kept = ["qty", "name", "phone", "address"].map(|name| field(&page.body, name));
    assert_eq!(kept, ["7", "张三", "13800000000", "北京市1号"]);
    assert_eq!(
        place.number("SELECT COUNT(*) FROM idempotent_record").await,
        0,
        "the old one was not claimed"
    );
    let fresh = field(&page.body, "submit_token");
    assert_ne!(fresh, token);
    let placed = client.post_form("SKU-1", &form(&fresh, &[("SKU-1", 7)])).await;
    assert_eq!(placed.status, 303, "{}", placed.body);
    assert_eq!(place.orders().await, 1);
}

async fn an_old_token_that_became_an_order_is_answered_from_it(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    let first = client.place(&token, &one_pencil()).await;
    shop.close().await;
    let shop = place.open_with(&[IN_25_HOURS]).await;
    let client = client.at(&shop.url);
    let page = client.load_form("SKU-1").await;
    assert!(
        page.body.contains("id=\"became-order\""),
        "unseen, so still shown: {}",
        page.body
    );
    let again = client.place(&token, &one_pencil()).await;
    assert_eq!(
        (&again.body, again.header("idempotency-replayed")),
        (&first.body, "true")
    );
    let by_form = client.post_form("SKU-1", &form(&token, &[("SKU-1", 1)])).await;
    assert_eq!(
        (by_form.status.as_u16(), by_form.header("location")),
        (303, first.header("location"))
    );
    let other = client.place(&token, &order(&[("SKU-1", 2)])).await;
    assert_eq!((other.status.as_u16(), other.problem().as_str()), (422, "key-reused"));
    assert_eq!(place.orders().await, 1);
}

async fn an_old_token_whose_try_was_refused_can_still_be_used(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-10").await;
    let refused = client.place(&token, &order(&[("SKU-10", 11)])).await;
    assert_eq!(refused.problem(), "sold-out");
    shop.close().await;
    let shop = place.open_with(&[IN_25_HOURS]).await;
    let client = client.at(&shop.url);
    assert_eq!(client.form_token("SKU-10").await, token, "it has a record, so it stays");
    client.place(&token, &order(&[("SKU-10", 10)])).await.order_no();
    assert_eq!(place.orders().await, 1);
}

async fn an_old_unused_token_is_replaced_at_the_next_load(backend: Backend) {
    let place = Place::new(backend).await;
    let (client, token) = token_of_yesterday(&place, "SKU-1").await;
    let shop = place.open_with(&[IN_25_HOURS]).await;
    let client = client.at(&shop.url);
    let fresh = client.form_token("SKU-1").await;
    assert_ne!(fresh, token);
    client.place(&fresh, &one_pencil()).await.order_no();
}

async fn the_first_signing_key_signs_and_all_verify(backend: Backend) {
    let mut place = Place::new(backend).await;
    let (old, new) = (SigningKeys::generate(), SigningKeys::generate());
    place.sign_with(&[&old]);
    let (client, before) = token_of_yesterday(&place, "SKU-1").await;
    place.sign_with(&[&new, &old]);
    let shop = place.open().await;
    let during = client.at(&shop.url);
    assert_eq!(during.form_token("SKU-1").await, before, "the old key's token stays");
    let signed_by_new = during.form_token("SKU-2").await;
    let placed = during.place(&before, &one_pencil()).await;
    placed.order_no();
    shop.close().await;
    place.sign_with(&[&new]);
    let shop = place.open().await;
    let after = client.at(&shop.url);
    assert_eq!(
        after.form_token("SKU-2").await,
        signed_by_new,
        "session and token are the new key's"
    );
    let rejected = after.place(&before, &one_pencil()).await;
    assert_eq!(
        (rejected.status.as_u16(), rejected.problem().as_str()),
        (403, "unknown-token")
    );
    after.place(&signed_by_new, &one_pencil()).await.order_no();
    assert_eq!(place.orders().await, 2);
}
