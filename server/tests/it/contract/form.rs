//! The form's own answers without any script: post, redirect, get; a page that waits for work in hand; nothing sent twice by F5.

use crate::{
    duplicates::wait_until,
    support::{
        client::{Client, form, order},
        on_both_databases,
        page::text_of,
        shop::{Backend, Place},
    },
};

on_both_databases!(
    an_accepted_form_leads_to_the_orders_page_however_often_it_is_sent,
    a_form_whose_order_takes_long_leads_to_a_page_that_waits_for_it,
    the_waiting_page_gives_up_when_nobody_works_on_the_order,
    the_waiting_page_finds_its_order_also_when_another_tab_has_moved_on,
    only_a_look_at_the_orders_page_counts_as_seen,
    a_copied_address_of_a_first_visit_opens_in_another_browser,
);

fn waiting(token: &str) -> String {
    let attempt = token.split('.').next().expect("a token's unique part");
    format!("/order/waiting?sku=SKU-2&attempt={attempt}")
}

async fn an_accepted_form_leads_to_the_orders_page_however_often_it_is_sent(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-2").await;
    let fields = form(&token, &[("SKU-2", 2)]);
    let first = client.post_form("SKU-2", &fields).await;
    assert_eq!((first.status.as_u16(), first.body.as_str()), (303, ""));
    for _ in 0..3 {
        // The buyer reloads the order's page, or goes back and sends the form again.
        let page = client.get(first.header("location")).await;
        assert_eq!(
            (page.status.as_u16(), text_of(&page.body, "receiver-name")),
            (200, "张三".to_owned())
        );
        let again = client.post_form("SKU-2", &fields).await;
        assert_eq!(
            (again.status.as_u16(), again.header("location")),
            (303, first.header("location"))
        );
    }
    assert_eq!(place.orders().await, 1);
    place.assert_consistent().await;
}

async fn a_form_whose_order_takes_long_leads_to_a_page_that_waits_for_it(backend: Backend) {
    let place = Place::new(backend).await;
    let hold = place.directory().join("hold");
    let shop = place
        .open_with(&["--fault", &format!("after_claim:hold:{}", hold.display())])
        .await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-2").await;
    let first = tokio::spawn({
        let (client, token) = (client.clone(), token.clone());
        async move { client.place(&token, &order(&[("SKU-2", 1)])).await }
    });
    wait_until(|| hold.exists()).await;
    let posted = client.post_form("SKU-2", &form(&token, &[("SKU-2", 1)])).await;
    assert_eq!(
        (posted.status.as_u16(), posted.header("location")),
        (303, waiting(&token).as_str())
    );
    let page = client.get(&waiting(&token)).await;
    assert_eq!(page.status, 200);
    assert!(
        page.body.contains("http-equiv=\"refresh\""),
        "it refreshes itself: {}",
        page.body
    );
    std::fs::remove_file(&hold).expect("the server holds");
    let order_no = first.await.expect("the first one ends").order_no();
    let arrived = client.get(&waiting(&token)).await;
    assert_eq!(
        (arrived.status.as_u16(), arrived.header("location")),
        (303, format!("/orders/{order_no}").as_str())
    );
    assert_eq!(place.orders().await, 1);
}

async fn the_waiting_page_gives_up_when_nobody_works_on_the_order(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-2").await;
    let page = client.get(&waiting(&token)).await;
    assert_eq!(page.status, 200);
    assert!(
        !page.body.contains("http-equiv=\"refresh\""),
        "nothing will come: {}",
        page.body
    );
    assert!(
        page.body.contains("href=\"/order/new?sku=SKU-2\""),
        "the way back: {}",
        page.body
    );
    assert_eq!(
        client.form_token("SKU-2").await,
        token,
        "the token is as good as before"
    );
    assert_eq!(
        Client::without_cookies(&shop.url).get(&waiting(&token)).await.status,
        404
    );
}

async fn the_waiting_page_finds_its_order_also_when_another_tab_has_moved_on(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-2").await;
    let placed = client.post_form("SKU-2", &form(&token, &[("SKU-2", 1)])).await;
    // The other tab shows the order and opens the form again, which has a new token now.
    client.get(placed.header("location")).await;
    let fresh = client.form_token("SKU-2").await;
    assert_ne!(fresh, token);
    let arrived = client.get(&waiting(&token)).await;
    assert_eq!(
        (arrived.status.as_u16(), arrived.header("location")),
        (303, placed.header("location"))
    );
    assert_eq!(client.form_token("SKU-2").await, fresh, "looking changes no token");
    let stranger = Client::new(&shop.url);
    stranger.form_token("SKU-2").await;
    assert!(
        !stranger.get(&waiting(&token)).await.body.contains("OM-"),
        "nobody else learns of it"
    );
}

async fn only_a_look_at_the_orders_page_counts_as_seen(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-2").await;
    let placed = client.post_form("SKU-2", &form(&token, &[("SKU-2", 1)])).await;
    let order = placed.header("location");
    for request in [
        client.request(reqwest::Method::HEAD, order),
        client
            .request(reqwest::Method::GET, order)
            .header("sec-purpose", "prefetch"),
    ] {
        assert_eq!(request.send().await.expect("an answer").status(), 200);
        let form = client.load_form("SKU-2").await;
        assert!(
            form.body.contains("id=\"became-order\"") && form.body.contains(order),
            "{}",
            form.body
        );
    }
    client.get(order).await;
    assert_ne!(client.form_token("SKU-2").await, token);
}

async fn a_copied_address_of_a_first_visit_opens_in_another_browser(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let first = client.get("/order/new?sku=SKU-2&welcome=1764580000000").await;
    assert_eq!(first.status, 303, "{}", first.body);
    let form = client.get(first.header("location")).await;
    assert!(form.body.contains("name=\"submit_token\""), "{}", form.body);
}
