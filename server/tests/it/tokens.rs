//! The life of a form's token: shown again and again until it became an order and its buyer has seen that order.

mod age;
mod scope;

use crate::support::{
    client::{Client, Reply, form, one_pencil, order, token_in},
    on_both_databases,
    page::{cookie_header, cookies_set, field, notice},
    shop::{Backend, Place},
};
use futures::future::join_all;
use reqwest::{
    Method,
    header::{CACHE_CONTROL, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED},
};
use std::collections::HashSet;

on_both_databases!(
    five_loads_at_once_show_one_token_and_it_can_be_used,
    first_loads_at_once_in_a_new_browser_share_one_session_and_one_token,
    a_reload_shows_the_same_token_and_another_product_another,
    a_hundred_loads_write_one_row,
    a_form_that_became_an_order_says_so_until_its_owner_has_seen_it,
    starting_a_new_order_gives_a_fresh_token,
    a_token_that_is_still_to_be_used_cannot_be_restarted,
    a_refusal_never_renews_the_token,
    no_load_invalidates_a_token_that_was_shown,
    head_and_options_change_nothing,
    no_cache_may_keep_a_page_with_a_token,
);

const FORM: &str = "/order/new?sku=SKU-1";

async fn five_loads_at_once_show_one_token_and_it_can_be_used(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    client.form_token("SKU-2").await; // The session begins with another product: none of the five has a row to find.
    let loads = join_all((0..5).map(|_| client.get(FORM))).await;
    let tokens: HashSet<_> = loads
        .iter()
        .map(|load| token_in(&load.body).expect("a token"))
        .collect();
    assert_eq!(tokens.len(), 1, "{tokens:?}");
    let token = tokens.into_iter().next().expect("one token");
    client.place(&token, &one_pencil()).await.order_no();
}

async fn first_loads_at_once_in_a_new_browser_share_one_session_and_one_token(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let browser = Client::without_cookies(&shop.url);
    let (first, second) = (browser.get(FORM).await, browser.get(FORM).await);
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (303, 303));
    let [older, younger] = [&first, &second].map(cookies_set);
    assert_ne!(older[0].0, younger[0].0, "neither overwrites the other");
    // A browser that sent both at once comes back with both, in whatever order.
    let mut shown = Vec::new();
    for jar in [[older.clone(), younger.clone()], [younger, older.clone()]] {
        let request = browser
            .request(Method::GET, first.header("location"))
            .header("cookie", cookie_header(&jar.concat()));
        let page = Reply::to(request).await;
        assert_eq!(page.status, 200, "{}", page.body);
        let session = cookies_set(&page).into_iter().next().expect("a session");
        assert_eq!(session.1, older[0].1, "the older one is the session of both");
        shown.push((session, field(&page.body, "submit_token")));
    }
    assert_eq!(shown[0], shown[1]);
    let (session, token) = &shown[0];
    let placed = browser
        .session_order(token, &one_pencil())
        .header("cookie", cookie_header(std::slice::from_ref(session)));
    Reply::to(placed).await.order_no();
    assert_eq!(place.number("SELECT COUNT(*) FROM open_token").await, 1);
}

async fn a_reload_shows_the_same_token_and_another_product_another(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    let other = client.form_token("SKU-2").await;
    assert_eq!(client.form_token("SKU-1").await, token);
    assert_ne!(other, token);
    assert_ne!(
        Client::new(&shop.url).form_token("SKU-1").await,
        token,
        "another browser has its own"
    );
    assert!(token.len() <= 128, "{token}");
}

async fn a_hundred_loads_write_one_row(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    let written = "SELECT COUNT(*) FROM open_token";
    let issued_at = place.number("SELECT issued_at FROM open_token").await;
    let loads = join_all((0..100).map(|_| client.get(FORM))).await;
    assert!(loads.iter().all(|load| token_in(&load.body).as_ref() == Some(&token)));
    assert_eq!(place.number(written).await, 1);
    assert_eq!(place.number("SELECT issued_at FROM open_token").await, issued_at);
}

async fn a_form_that_became_an_order_says_so_until_its_owner_has_seen_it(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    let placed = client.post_form("SKU-1", &form(&token, &[("SKU-1", 1)])).await;
    let order_page = placed.header("location").to_owned();
    for _ in 0..2 {
        let page = client.get(FORM).await.body;
        assert!(page.contains("id=\"became-order\""), "{page}");
        assert!(page.contains(&format!("href=\"{order_page}\"")), "{page}");
        assert!(page.contains("action=\"/order/restart?sku=SKU-1\""), "{page}");
        assert_eq!(field(&page, "submit_token"), token);
    }
    // Somebody else who asks for the order page has not seen it for its owner.
    assert_eq!(Client::new(&shop.url).get(&order_page).await.status, 404);
    assert_eq!(field(&client.get(FORM).await.body, "submit_token"), token);
    assert_eq!(client.get(&order_page).await.status, 200);
    let fresh = client.form_token("SKU-1").await;
    assert_ne!(fresh, token);
    assert_eq!(client.form_token("SKU-1").await, fresh);
    // The order page again, and the order read by the API, do not touch the fresh one.
    client.get(&order_page).await;
    assert_eq!(client.form_token("SKU-1").await, fresh);
}

async fn starting_a_new_order_gives_a_fresh_token(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    let first = client.place(&token, &one_pencil()).await;
    let restarted = client.restart("SKU-1", &token).await;
    assert_eq!((restarted.status.as_u16(), restarted.header("location")), (303, FORM));
    let fresh = client.form_token("SKU-1").await;
    assert_ne!(fresh, token);
    // A second press, or another tab's, does not renew the fresh one.
    client.restart("SKU-1", &token).await;
    assert_eq!(client.form_token("SKU-1").await, fresh);
    assert_eq!(
        client.place(&token, &one_pencil()).await.body,
        first.body,
        "the old one still answers"
    );
    let second = client.place(&fresh, &one_pencil()).await.order_no();
    assert_ne!(second, first.order_no());
    assert_eq!(place.orders().await, 2);
}

async fn a_token_that_is_still_to_be_used_cannot_be_restarted(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (client, other) = (Client::new(&shop.url), Client::new(&shop.url));
    let token = client.form_token("SKU-1").await;
    for sent in [token.as_str(), "", "another"] {
        assert_eq!(client.restart("SKU-1", sent).await.status, 303);
        assert_eq!(client.form_token("SKU-1").await, token);
    }
    client.place(&token, &one_pencil()).await.order_no();
    other.form_token("SKU-1").await;
    other.restart("SKU-1", &token).await;
    assert_eq!(
        field(&client.get(FORM).await.body, "submit_token"),
        token,
        "not by somebody else"
    );
}

async fn a_refusal_never_renews_the_token(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-10").await;
    let refused = client.post_form("SKU-10", &form(&token, &[("SKU-10", 11)])).await;
    assert_eq!(
        (refused.status.as_u16(), notice(&refused.body).as_str()),
        (409, "sold-out")
    );
    assert_eq!(field(&refused.body, "submit_token"), token);
    assert_eq!(field(&refused.body, "qty"), "11");
    assert_eq!(field(&refused.body, "name"), "张三");
    let invalid = client.post_form("SKU-10", &form(&token, &[("SKU-10", 0)])).await;
    assert_eq!(invalid.status, 422, "{}", invalid.body);
    assert_eq!(field(&invalid.body, "submit_token"), token);
    assert_eq!(field(&invalid.body, "qty"), "0");
    assert!(invalid.body.contains("id=\"error-summary\""), "{}", invalid.body);
    let mut add = form(&token, &[("SKU-10", 10)]);
    add.extend([
        ("edit".to_owned(), "add".to_owned()),
        ("add_sku".to_owned(), "SKU-1".to_owned()),
    ]);
    let edited = client.post_form("SKU-10", &add).await;
    assert_eq!((edited.status.as_u16(), notice(&edited.body).as_str()), (200, "edited"));
    assert_eq!(field(&edited.body, "submit_token"), token);
    assert_eq!(client.form_token("SKU-10").await, token);
    let placed = client.post_form("SKU-10", &form(&token, &[("SKU-10", 10)])).await;
    assert_eq!(placed.status, 303, "{}", placed.body);
    assert_eq!(place.orders().await, 1);
}

async fn no_load_invalidates_a_token_that_was_shown(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let shown_first = client.form_token("SKU-1").await;
    let body = order(&[("SKU-1", 3)]);
    let first = client.place(&shown_first, &body).await;
    client.get(first.header("location")).await;
    let shown_later = client.form_token("SKU-1").await;
    assert_ne!(shown_later, shown_first);
    // Back in the first tab, which still shows the first token, the buyer presses again.
    assert_eq!(client.place(&shown_first, &body).await.body, first.body);
    let by_form = client.post_form("SKU-1", &form(&shown_first, &[("SKU-1", 3)])).await;
    assert_eq!(by_form.header("location"), first.header("location"));
    // Changed input under the old token is no second order; the page links the first.
    let changed = client.post_form("SKU-1", &form(&shown_first, &[("SKU-1", 4)])).await;
    assert_eq!(
        (changed.status.as_u16(), notice(&changed.body).as_str()),
        (422, "token-reused")
    );
    assert!(changed.body.contains(&format!("href=\"{}\"", first.header("location"))));
    assert_eq!(place.orders().await, 1);
    client.place(&shown_later, &body).await.order_no();
    assert_eq!(place.orders().await, 2);
}

async fn head_and_options_change_nothing(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let stranger = Client::without_cookies(&shop.url);
    for method in [Method::HEAD, Method::OPTIONS] {
        for path in [
            FORM,
            "/order/new?sku=SKU-1&welcome=1",
            "/api/submit-tokens",
            "/api/orders",
        ] {
            let reply = Reply::to(stranger.request(method.clone(), path)).await;
            assert!(reply.status.as_u16() < 500, "{method} {path}: {}", reply.status);
        }
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM open_token").await, 0);
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    for method in [Method::HEAD, Method::OPTIONS] {
        Reply::to(client.request(method, FORM)).await;
    }
    assert_eq!(client.form_token("SKU-1").await, token);
    client.place(&token, &one_pencil()).await.order_no();
}

async fn no_cache_may_keep_a_page_with_a_token(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let redirect = client.get(FORM).await;
    let token = client.form_token("SKU-1").await;
    let conditional = client
        .request(Method::GET, FORM)
        .header(IF_NONE_MATCH, "*")
        .header(IF_MODIFIED_SINCE, "Thu, 01 Jan 2099 00:00:00 GMT");
    let pages = [
        redirect,
        Reply::to(conditional).await,
        client.post_form("SKU-1", &form(&token, &[("SKU-1", 0)])).await,
        client.post_form("SKU-1", &form("forged", &[("SKU-1", 1)])).await,
        Reply::to(client.request(Method::POST, "/api/submit-tokens")).await,
    ];
    let statuses: Vec<_> = pages.iter().map(|page| page.status.as_u16()).collect();
    assert_eq!(statuses, [303, 200, 422, 403, 201]);
    for page in pages {
        assert_eq!(page.header(CACHE_CONTROL.as_str()), "no-store", "{}", page.status);
        assert!(!page.headers.contains_key(ETAG) && !page.headers.contains_key(LAST_MODIFIED));
    }
}
