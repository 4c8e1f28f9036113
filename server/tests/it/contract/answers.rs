//! What is answered: the first answer and what is kept of it, the problems and their pages, and "not now".

use crate::support::{
    client::{Client, Reply, form, one_pencil, order},
    on_both_databases,
    page::{field, notice},
    services::Postgres,
    shop::{Backend, Place},
};
use futures::future::join_all;
use reqwest::Method;
use server::problem::ProblemKind;
use sqlx::{AnyConnection, Connection as _, Executor as _};

on_both_databases!(
    the_first_answer_says_where_the_order_is_and_what_it_holds,
    nothing_of_one_exchange_is_kept_for_the_next,
    every_problem_type_has_a_page_in_both_languages,
    every_problem_is_written_as_problem_details,
);

async fn the_first_answer_says_where_the_order_is_and_what_it_holds(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    let first = client.place(&token, &order(&[("SKU-2", 2), ("SKU-1", 1)])).await;
    let order_no = first.order_no();
    assert_eq!(first.header("location"), format!("/orders/{order_no}"));
    assert_eq!(first.header("content-type"), "application/json");
    assert_eq!(first.header("cache-control"), "no-store");
    assert!(!first.headers.contains_key("idempotency-replayed"));
    let body = first.json();
    assert_eq!(body["status"], "WAIT_PAY");
    assert_eq!(
        (
            &body["subtotal_fen"],
            &body["discount_fen"],
            &body["total_fen"],
            &body["currency"]
        ),
        (&1763.into(), &0.into(), &1763.into(), &"CNY".into())
    );
    assert_eq!(body["items"].as_array().map(Vec::len), Some(2));
    let read = client.get(&format!("/api/orders/{order_no}")).await;
    for name in ["order_no", "items", "total_fen", "created_at", "pay_before"] {
        assert_eq!(read.json()[name], body[name], "{name}");
    }
    assert_eq!(client.get(first.header("location")).await.status, 200);
}

async fn nothing_of_one_exchange_is_kept_for_the_next(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let token = client.form_token("SKU-1").await;
    // The form's answer sets a cookie; the stored one must not.
    let by_form = client.post_form("SKU-1", &form(&token, &[("SKU-1", 1)])).await;
    assert!(by_form.headers.contains_key("set-cookie"));
    let stored = place
        .text("SELECT answer_headers FROM idempotent_record")
        .await
        .to_ascii_lowercase();
    let stored: Vec<(String, String)> = serde_json::from_str(&stored).expect("a list");
    let names: Vec<_> = stored.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["content-type", "location"]);
    let [first, second] = [
        client.place(&token, &one_pencil()).await,
        client.place(&token, &one_pencil()).await,
    ];
    for reply in [&first, &second] {
        assert_eq!(reply.header("idempotency-replayed"), "true");
        assert!(!reply.headers.contains_key("set-cookie"));
    }
    assert_ne!(first.header("x-request-id"), second.header("x-request-id"));
}

async fn every_problem_type_has_a_page_in_both_languages(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    for (language, tag) in [("en", "lang=\"en"), ("zh-CN,zh;q=0.9", "lang=\"zh")] {
        let get = |path: String| client.request(Method::GET, &path).header("accept-language", language);
        let list = Reply::to(get("/problems".to_owned())).await;
        assert!(list.status == 200 && list.body.contains(tag), "{}", list.body);
        for kind in ProblemKind::ALL {
            let slug = kind.slug();
            assert!(list.body.contains(&format!("href=\"/problems/{slug}\"")), "{slug}");
            let page = Reply::to(get(format!("/problems/{slug}"))).await;
            assert_eq!(page.status, 200, "{slug}");
            assert!(page.body.contains(tag) && page.body.contains(&format!("data-problem=\"{slug}\"")));
            assert!(
                page.body.contains(&kind.status().to_string()),
                "{slug} states its status"
            );
            assert!(!page.body.contains('⟦'), "a text is missing: {}", page.body);
        }
    }
    assert_eq!(client.get("/problems/no-such-type").await.status, 404);
}

type Case = (&'static str, u16, reqwest::RequestBuilder);

/// Requests that are wrong in themselves, with the type and status of their problem.
fn unreadable(client: &Client) -> Vec<Case> {
    let post = |path: &str| client.request(Method::POST, path);
    let demo = |body: String| {
        post("/api/orders")
            .bearer_auth("demo")
            .header("idempotency-key", "problem")
            .body(body)
    };
    let json = |request: reqwest::RequestBuilder| request.header("content-type", "application/json");
    vec![
        ("missing-key", 400, post("/api/orders").json(&one_pencil())),
        ("malformed-key", 400, client.demo_order("a b", &one_pencil())),
        (
            "key-mismatch",
            400,
            client.demo_order("a", &one_pencil()).header("x-submit-token", "b"),
        ),
        ("malformed-request", 400, json(demo("{".to_owned()))),
        (
            "unsupported-media-type",
            415,
            demo("{}".to_owned()).header("content-type", "text/plain"),
        ),
        ("request-too-large", 413, json(demo(" ".repeat(70_000)))),
        ("invalid-fields", 422, json(demo("{}".to_owned()))),
        ("unknown-token", 403, client.session_order("forged", &one_pencil())),
        (
            "unauthorized",
            401,
            post("/api/orders")
                .bearer_auth("x")
                .header("idempotency-key", "a")
                .json(&one_pencil()),
        ),
    ]
}

/// Requests that ask for what cannot be had, with the type and status of their problem.
fn refused(client: &Client) -> Vec<Case> {
    let post = |path: &str| client.request(Method::POST, path);
    let mut unknown_coupon = one_pencil();
    unknown_coupon["coupon"] = "NONE".into();
    vec![
        (
            "cross-site-request",
            403,
            client
                .demo_order("a", &one_pencil())
                .header("sec-fetch-site", "cross-site"),
        ),
        ("key-reused", 422, client.demo_order("used", &order(&[("SKU-1", 2)]))),
        ("sold-out", 409, client.demo_order("a", &order(&[("SKU-10", 11)]))),
        (
            "unknown-product",
            409,
            client.demo_order("b", &order(&[("SKU-404", 1)])),
        ),
        ("coupon-not-usable", 409, client.demo_order("c", &unknown_coupon)),
        (
            "not-found",
            404,
            client.request(Method::GET, "/api/orders/OM-0000-0000-0000"),
        ),
        ("not-found", 404, client.request(Method::GET, "/api/nothing")),
        ("not-found", 404, post("/api/nothing").json(&one_pencil())),
        ("not-found", 404, client.request(Method::GET, "/api/orders/%FF")),
        ("method-not-allowed", 405, client.request(Method::GET, "/api/orders")),
        (
            "method-not-allowed",
            405,
            client.request(Method::DELETE, "/api/orders/1"),
        ),
        ("method-not-allowed", 405, post("/api/products")),
        ("method-not-allowed", 405, post("/health/live")),
    ]
}

async fn every_problem_is_written_as_problem_details(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    client.api_token().await;
    client.place_as_demo("used", &one_pencil()).await.order_no();
    for (slug, status, request) in unreadable(&client).into_iter().chain(refused(&client)) {
        let reply = Reply::to(request).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("content-type")),
            (status, "application/problem+json"),
            "{slug}: {}",
            reply.body
        );
        let body = reply.json();
        assert_eq!(body["type"], format!("/problems/{slug}"));
        assert_eq!(body["status"], status);
        for member in ["title", "detail"] {
            assert!(
                body[member].as_str().is_some_and(|text| !text.is_empty()),
                "{slug}: {member}"
            );
        }
        assert_eq!(client.get(body["type"].as_str().expect("a type")).await.status, 200);
        assert!(reply.header("retry-after").is_empty(), "{slug} does not pass by itself");
        assert_eq!(reply.header("cache-control"), "no-store");
    }
}

/// An API client's key, a token of the API and a form's token: each is sent while the database is away, and again afterwards.
struct Waiting<'p> {
    place: &'p Place,
    client: Client,
    api_token: String,
    form_token: String,
}

impl<'p> Waiting<'p> {
    async fn at(place: &'p Place, url: &str) -> Self {
        let client = Client::new(url);
        Self {
            place,
            form_token: client.form_token("SKU-1").await,
            api_token: client.api_token().await,
            client,
        }
    }

    async fn send(&self) -> [Reply; 3] {
        let (body, fields) = (one_pencil(), form(&self.form_token, &[("SKU-1", 1)]));
        tokio::join!(
            self.client.place_as_demo("away", &body),
            self.client.place(&self.api_token, &body),
            self.client.post_form("SKU-1", &fields),
        )
        .into()
    }

    async fn assert_not_now(&self) {
        let [by_demo, by_session, by_form] = self.send().await;
        for reply in [by_demo, by_session] {
            assert_eq!((reply.status.as_u16(), reply.problem().as_str()), (503, "unavailable"));
            assert_eq!(reply.header("retry-after"), "2");
        }
        assert_eq!(
            (by_form.status.as_u16(), notice(&by_form.body).as_str()),
            (503, "try-again")
        );
        assert_eq!(by_form.header("retry-after"), "2");
        assert_eq!(field(&by_form.body, "name"), "张三");
        assert_eq!(
            field(&by_form.body, "submit_token"),
            self.form_token,
            "the same form may be sent again"
        );
    }

    async fn assert_now(&self) {
        let [by_demo, by_session, by_form] = self.send().await;
        assert_ne!(by_demo.order_no(), by_session.order_no());
        assert_eq!(by_form.status, 303, "{}", by_form.body);
        assert_eq!(self.place.orders().await, 3);
        self.place.assert_consistent().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn while_postgresql_is_away_nothing_is_stored_and_the_same_key_works_afterwards() {
    let mut postgres = Postgres::own();
    let place = Place::on(Some(postgres.new_database().await), None);
    let shop = place.open().await;
    let waiting = Waiting::at(&place, &shop.url).await;
    postgres.stop_immediately();
    waiting.assert_not_now().await;
    let paths = ["/order/new?sku=SKU-1", "/orders", "/", "/api/products"];
    for (path, reply) in paths
        .iter()
        .zip(join_all(paths.map(|path| waiting.client.get(path))).await)
    {
        assert_eq!(
            (reply.status.as_u16(), reply.header("retry-after")),
            (503, "2"),
            "{path}"
        );
    }
    postgres.start();
    waiting.assert_now().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn while_another_program_locks_the_sqlite_file_nothing_is_stored_and_the_same_key_works_afterwards() {
    let place = Place::new(Backend::Sqlite).await;
    let shop = place.open().await;
    let waiting = Waiting::at(&place, &shop.url).await;
    let mut other = AnyConnection::connect(&place.database_url).await.expect("a connection");
    other.execute("BEGIN IMMEDIATE").await.expect("the write lock");
    waiting.assert_not_now().await;
    other.execute("ROLLBACK").await.expect("the write lock is given back");
    waiting.assert_now().await;
}
