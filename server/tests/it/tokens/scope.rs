//! Whose a token is: nobody can use, read, burn or probe another's, and a session begins with the shop, never with the visitor.

use crate::support::{
    client::{Client, Reply, form, one_pencil, order, token_in},
    on_both_databases,
    page::{cookie_header, cookies_set, field, message, notice},
    shop::{Backend, Place},
};
use reqwest::Method;

on_both_databases!(
    a_token_that_was_not_issued_to_this_session_is_refused_and_nothing_is_revealed,
    another_spelling_in_the_hidden_field_is_refused,
    a_form_with_a_foreign_token_keeps_the_input_and_offers_one_that_works,
    a_token_can_be_neither_used_nor_read_nor_burnt_by_another_session,
    a_deleted_session_cookie_keeps_the_input_and_offers_a_form_that_works,
    a_browser_without_cookies_is_told_so_and_nothing_is_written,
    a_session_that_the_shop_did_not_begin_is_not_adopted,
    the_session_cookie_is_for_the_shop_alone,
);

const FORM: &str = "/order/new?sku=SKU-1";
const RECORDS: &str = "SELECT COUNT(*) FROM idempotent_record";

fn case_swapped(token: &str) -> String {
    let swap = |letter: char| {
        if letter.is_ascii_lowercase() {
            letter.to_ascii_uppercase()
        } else {
            letter.to_ascii_lowercase()
        }
    };
    token.chars().map(swap).collect()
}

async fn a_token_that_was_not_issued_to_this_session_is_refused_and_nothing_is_revealed(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (client, other) = (Client::new(&shop.url), Client::new(&shop.url));
    let page = client.load_form("SKU-1").await;
    let token = token_in(&page.body).expect("a token");
    let session = cookies_set(&page).into_iter().next().expect("a session").1;
    let signature = session.split_once('.').expect("a signature").1;
    let id = token.split('.').next().expect("an id").to_owned();
    let used = other.form_token("SKU-1").await;
    other.place(&used, &one_pencil()).await.order_no();
    let answers = [
        (
            "unknown",
            "0123456789abcdef0123456789abcdef.order-SKU-1.AAAA".to_owned(),
        ),
        ("another's unused", other.form_token("SKU-2").await),
        ("another's used", used.clone()),
        ("swapped case", case_swapped(&token)),
        ("another form", token.replace("order-SKU-1", "order-SKU-2")),
        ("another purpose", format!("{id}.order-SKU-1.{signature}")),
        ("a session", session.clone()),
        ("shortened", token[..token.len() - 1].to_owned()),
        ("lengthened", format!("{token}=")),
        (
            "with another signature",
            format!("{id}.order-SKU-1.{}", used.rsplit('.').next().expect("a part")),
        ),
    ];
    let records = place.number(RECORDS).await;
    let mut first: Option<Reply> = None;
    for (what, forged) in answers {
        let reply = client.place(&forged, &one_pencil()).await;
        assert_eq!(
            (reply.status.as_u16(), reply.problem().as_str()),
            (403, "unknown-token"),
            "{what}"
        );
        let expected = first.get_or_insert_with(|| reply.clone());
        assert_eq!(reply.body, expected.body, "{what} looks like any other");
    }
    assert_eq!(place.number(RECORDS).await, records, "no trace is left");
    client.place(&token, &one_pencil()).await.order_no();
}

async fn another_spelling_in_the_hidden_field_is_refused(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    for (sent, status) in [
        (format!("{token} "), 400),
        (format!(" {token}"), 400),
        (format!("{token}\0"), 400),
        (token.replace('1', "１"), 400),
        (case_swapped(&token), 403),
        (token.to_uppercase(), 403),
        (String::new(), 400),
        ("x".repeat(8_000), 400),
    ] {
        let page = client.post_form("SKU-1", &form(&sent, &[("SKU-1", 1)])).await;
        assert_eq!(
            (page.status.as_u16(), notice(&page.body).as_str()),
            (status, "token-unknown"),
            "{sent}"
        );
        assert_eq!(field(&page.body, "name"), "张三");
        assert_eq!(field(&page.body, "submit_token"), token, "the form's own is not burnt");
    }
    assert_eq!(place.orders().await, 0);
    assert_eq!(place.number(RECORDS).await, 0);
    let placed = client.post_form("SKU-1", &form(&token, &[("SKU-1", 1)])).await;
    assert_eq!(placed.status, 303, "{}", placed.body);
}

async fn a_form_with_a_foreign_token_keeps_the_input_and_offers_one_that_works(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (client, other) = (Client::new(&shop.url), Client::new(&shop.url));
    let foreign = client.form_token("SKU-1").await;
    let own = other.form_token("SKU-1").await;
    let page = other.post_form("SKU-1", &form(&foreign, &[("SKU-1", 6)])).await;
    assert_eq!(
        (page.status.as_u16(), notice(&page.body).as_str()),
        (403, "token-unknown")
    );
    let kept = ["qty", "name", "phone", "address"].map(|name| field(&page.body, name));
    assert_eq!(kept, ["6", "张三", "13800000000", "北京市1号"]);
    assert_eq!(field(&page.body, "submit_token"), own);
    let placed = other.post_form("SKU-1", &form(&own, &[("SKU-1", 6)])).await;
    assert_eq!(placed.status, 303, "{}", placed.body);
}

async fn a_token_can_be_neither_used_nor_read_nor_burnt_by_another_session(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let others = [Client::new(&shop.url), Client::without_cookies(&shop.url)];
    others[0].form_token("SKU-1").await;
    let token = client.form_token("SKU-1").await;
    let bodies = [one_pencil(), order(&[("SKU-1", 2)])];
    for other in &others {
        for body in &bodies {
            assert_eq!(other.place(&token, body).await.status, 403);
        }
    }
    let first = client.place(&token, &one_pencil()).await;
    let order_no = first.order_no();
    for other in &others {
        for body in &bodies {
            let reply = other.place(&token, body).await;
            assert_eq!(reply.status, 403);
            assert!(!reply.body.contains(&order_no) && reply.header("location").is_empty());
        }
        let page = other.post_form("SKU-1", &form(&token, &[("SKU-1", 1)])).await;
        assert_eq!(page.status, 403);
        assert!(!page.body.contains(&order_no), "{}", page.body);
    }
    let again = client.place(&token, &one_pencil()).await;
    assert_eq!(
        (&again.body, again.header("idempotency-replayed")),
        (&first.body, "true")
    );
    assert_eq!(place.orders().await, 1);
}

async fn a_deleted_session_cookie_keeps_the_input_and_offers_a_form_that_works(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let token = Client::new(&shop.url).form_token("SKU-1").await;
    let forgetful = Client::without_cookies(&shop.url);
    let page = forgetful.post_form("SKU-1", &form(&token, &[("SKU-1", 5)])).await;
    assert_eq!(
        (page.status.as_u16(), notice(&page.body).as_str()),
        (403, "token-unknown")
    );
    assert_eq!(field(&page.body, "qty"), "5");
    assert_eq!(field(&page.body, "address"), "北京市1号");
    let fresh = field(&page.body, "submit_token");
    assert_ne!(fresh, token);
    let placed = forgetful
        .request(Method::POST, FORM)
        .header("cookie", cookie_header(&cookies_set(&page)))
        .form(&form(&fresh, &[("SKU-1", 5)]));
    let placed = Reply::to(placed).await;
    assert_eq!(placed.status, 303, "{}", placed.body);
    assert_eq!(place.orders().await, 1);
}

async fn a_browser_without_cookies_is_told_so_and_nothing_is_written(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let browser = Client::without_cookies(&shop.url);
    let first = browser.get(FORM).await;
    assert_eq!(first.status, 303);
    let page = browser.get(first.header("location")).await;
    assert_eq!(
        (page.status.as_u16(), message(&page.body).as_str()),
        (400, "cookies-needed")
    );
    assert!(page.headers.get("set-cookie").is_none(), "no endless redirect");
    assert_eq!(place.number("SELECT COUNT(*) FROM open_token").await, 0);
}

async fn a_session_that_the_shop_did_not_begin_is_not_adopted(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let page = Client::new(&shop.url).load_form("SKU-1").await;
    let begun = cookies_set(&page).into_iter().next().expect("a session").1;
    let (id, signature) = begun.split_once('.').expect("a signature");
    let chosen = uuid::Uuid::now_v7().simple().to_string();
    let browser = Client::without_cookies(&shop.url);
    for value in [
        "chosen".to_owned(),
        chosen.clone(),
        format!("{chosen}."),
        format!("{chosen}.{signature}"),
        format!("{}.{signature}", id.to_uppercase()),
        format!("{id}.{signature}="),
    ] {
        for name in ["oncemart_session", "oncemart_first_x"] {
            let cookie = format!("{name}={value}");
            let visit = browser.request(Method::GET, FORM).header("cookie", &cookie);
            let visit = Reply::to(visit).await;
            assert_eq!(visit.status, 303, "{cookie} is no session");
            let given = cookies_set(&visit).into_iter().next().expect("a first cookie").1;
            assert!(!given.contains(&chosen) && !given.contains(id), "{given}");
            let issued = browser
                .request(Method::POST, "/api/submit-tokens")
                .header("cookie", &cookie);
            let issued = Reply::to(issued).await;
            let given = cookies_set(&issued).into_iter().next().expect("a session").1;
            assert!(!given.contains(&chosen) && !given.contains(id), "{given}");
        }
    }
}

async fn the_session_cookie_is_for_the_shop_alone(backend: Backend) {
    let place = Place::new(backend).await;
    for (flag, name, secure) in [
        ("--public-url=http://shop.example", "oncemart_session=", false),
        ("--public-url=https://shop.example", "__Host-oncemart_session=", true),
    ] {
        let shop = place.open_with(&[flag]).await;
        let reply = Reply::to(Client::new(&shop.url).request(Method::POST, "/api/submit-tokens")).await;
        let cookie = reply.header("set-cookie").to_owned();
        assert!(cookie.starts_with(name), "{cookie}");
        for part in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=31536000"] {
            assert!(cookie.split("; ").any(|given| given == part), "{part} in {cookie}");
        }
        assert_eq!(cookie.contains("; Secure"), secure, "{cookie}");
        assert!(!cookie.contains("Domain"), "{cookie}");
        shop.close().await;
    }
}
