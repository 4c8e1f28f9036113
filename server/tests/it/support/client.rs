//! A client's way of speaking to the shop: an API client with keys of its own, or a browser session with submit tokens.

use reqwest::{
    Method, Response, StatusCode, Url,
    header::{CONTENT_TYPE, HeaderMap},
    redirect::Policy,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Longest time that an honest client may have to retry: the lease, one wait of a duplicate, and room for a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// An answer, read to its end.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Status.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: String,
}

impl Reply {
    /// Reads a response to its end.
    pub async fn of(response: Response) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        Self {
            status,
            headers,
            body: response.text().await.expect("a body"),
        }
    }

    /// Sends a request and reads its answer to the end.
    pub async fn to(request: reqwest::RequestBuilder) -> Self {
        Self::of(request.send().await.expect("an answer")).await
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// A header's text; empty if it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().expect("a text"))
    }

    /// The number of the order that this answer is.
    pub fn order_no(&self) -> String {
        assert_eq!(self.status, 201, "{}", self.body);
        self.json()["order_no"].as_str().expect("an order number").to_owned()
    }

    /// Whether the answer tells an honest client to send the same again later.
    pub fn says_retry(&self) -> bool {
        matches!(self.status.as_u16(), 409 | 503) && !self.header("retry-after").is_empty()
    }

    /// Last part of a problem's type.
    pub fn problem(&self) -> String {
        self.json()["type"]
            .as_str()
            .and_then(|uri| uri.rsplit('/').next())
            .unwrap_or("")
            .to_owned()
    }
}

/// The order that most tests place: one pencil.
pub fn one_pencil() -> Value {
    order(&[("SKU-1", 1)])
}

/// An order of these pieces.
pub fn order(lines: &[(&str, i64)]) -> Value {
    let items: Vec<Value> = lines
        .iter()
        .map(|(sku, qty)| json!({ "sku": sku, "qty": qty }))
        .collect();
    json!({ "items": items, "name": "张三", "phone": "13800000000", "address": "北京市1号" })
}

/// The same order as fields of the form.
pub fn form(token: &str, lines: &[(&str, i64)]) -> Vec<(String, String)> {
    let mut fields = vec![("submit_token".to_owned(), token.to_owned())];
    for (sku, qty) in lines {
        fields.extend([
            ("sku".to_owned(), (*sku).to_owned()),
            ("qty".to_owned(), qty.to_string()),
        ]);
    }
    for (name, value) in [
        ("name", "张三"),
        ("phone", "13800000000"),
        ("address", "北京市1号"),
        ("coupon", ""),
        ("note", ""),
    ] {
        fields.push((name.to_owned(), value.to_owned()));
    }
    fields
}

/// Somebody who speaks to the shop and keeps their cookies.
#[derive(Clone)]
pub struct Client {
    /// For requests that are out of the ordinary.
    pub http: reqwest::Client,
    url: String,
}

impl Client {
    /// Somebody new.
    pub fn new(url: &str) -> Self {
        let http = reqwest::Client::builder()
            .cookie_store(true)
            .redirect(Policy::none())
            .build()
            .expect("a client");
        Self {
            http,
            url: url.to_owned(),
        }
    }

    /// Somebody whose browser keeps no cookies.
    pub fn without_cookies(url: &str) -> Self {
        let http = reqwest::Client::builder()
            .redirect(Policy::none())
            .build()
            .expect("a client");
        Self {
            http,
            url: url.to_owned(),
        }
    }

    /// The same somebody, with the same cookies, at another server.
    pub fn at(&self, url: &str) -> Self {
        Self {
            http: self.http.clone(),
            url: url.to_owned(),
        }
    }

    /// A request to a path.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }

    /// Reads a path.
    pub async fn get(&self, path: &str) -> Reply {
        Reply::of(self.request(Method::GET, path).send().await.expect("an answer")).await
    }

    /// Reads a path with what stands behind its question mark.
    pub async fn get_with(&self, path: &str, query: &[(String, String)]) -> Reply {
        let url = Url::parse_with_params(&format!("{}{path}", self.url), query).expect("an address");
        Reply::to(self.http.get(url)).await
    }

    /// A request that places an order as the API client `demo` under a key of its own.
    pub fn demo_order(&self, key: &str, body: &Value) -> reqwest::RequestBuilder {
        self.request(Method::POST, "/api/orders")
            .bearer_auth("demo")
            .header("idempotency-key", key)
            .json(body)
    }

    /// Places an order as the API client `demo`.
    pub async fn place_as_demo(&self, key: &str, body: &Value) -> Reply {
        Reply::of(self.demo_order(key, body).send().await.expect("an answer")).await
    }

    /// Does what an honest client does: sends the same until it gets an answer that is none to retry.
    pub async fn place_as_demo_until_answered(&self, key: &str, body: &Value) -> Reply {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answered = self.demo_order(key, body).send().await;
            if let Ok(response) = answered {
                let reply = Reply::of(response).await;
                if !reply.says_retry() {
                    return reply;
                }
            }
            assert!(
                Instant::now() < deadline,
                "{key} is answered at the latest when its lease is over"
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// A request that places an order as a browser session under a submit token.
    pub fn session_order(&self, token: &str, body: &Value) -> reqwest::RequestBuilder {
        self.request(Method::POST, "/api/orders")
            .header("x-submit-token", token)
            .json(body)
    }

    /// Places an order as a browser session.
    pub async fn place(&self, token: &str, body: &Value) -> Reply {
        Reply::of(self.session_order(token, body).send().await.expect("an answer")).await
    }

    /// A new token of the API for this session.
    pub async fn api_token(&self) -> String {
        let reply = Reply::of(
            self.request(Method::POST, "/api/submit-tokens")
                .send()
                .await
                .expect("an answer"),
        )
        .await;
        assert_eq!(reply.status, 201, "{}", reply.body);
        reply.json()["token"].as_str().expect("a token").to_owned()
    }

    /// Loads a product's form, following the first visit's redirect.
    pub async fn load_form(&self, sku: &str) -> Reply {
        let mut reply = self.get(&format!("/order/new?sku={sku}")).await;
        if reply.status == 303 {
            let location = reply.header("location").to_owned();
            reply = self.get(&location).await;
        }
        reply
    }

    /// The token that a product's form shows.
    pub async fn form_token(&self, sku: &str) -> String {
        let reply = self.load_form(sku).await;
        token_in(&reply.body).unwrap_or_else(|| panic!("a token in {}", reply.body))
    }

    /// Posts a product's form.
    pub async fn post_form(&self, sku: &str, fields: &[(String, String)]) -> Reply {
        let request = self
            .request(Method::POST, &format!("/order/new?sku={sku}"))
            .form(fields);
        Reply::of(request.send().await.expect("an answer")).await
    }

    /// Presses "start a new order" on the page of a form that became an order.
    pub async fn restart(&self, sku: &str, token: &str) -> Reply {
        let request = self.request(Method::POST, &format!("/order/restart?sku={sku}"));
        Reply::to(request.form(&[("submit_token", token)])).await
    }

    /// Posts raw bytes of a type to the orders, with headers.
    pub async fn post_raw(
        &self,
        headers: &[(&str, &str)],
        content_type: &str,
        body: impl Into<reqwest::Body>,
    ) -> Reply {
        let mut request = self.request(Method::POST, "/api/orders").body(body);
        if !content_type.is_empty() {
            request = request.header(CONTENT_TYPE, content_type);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Reply::of(request.send().await.expect("an answer")).await
    }
}

/// The token in a form's page.
pub fn token_in(page: &str) -> Option<String> {
    let field = &page[page.find("name=\"submit_token\"")?..];
    let value = &field[field.find("value=\"")? + 7..];
    Some(value[..value.find('"')?].to_owned())
}
