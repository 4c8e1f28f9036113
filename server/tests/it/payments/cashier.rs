//! The buyer at the sandbox gateway's cashier, over HTTP: the gateway knows the money, so that it can be asked and gives it back.

use crate::support::client::{Client, Reply};
use reqwest::Method;
use serde_json::{Value, json};
use server::channels::ChannelId;

/// Gateways that do not let a test wait for what they put off: refunds and repetitions come at once.
pub const QUICK: &str = "--sandbox-gap-scale=0.02";

/// An order of `demo` over ¥100.00.
pub fn hundred_yuan() -> Value {
    crate::support::client::order(&[("SKU-50", 2)])
}

/// What [`hundred_yuan`] costs, in fen.
pub const HUNDRED_YUAN_FEN: i64 = 10_000;

/// The cashier's address of a payment that was just begun.
pub async fn cashier_of(client: &Client, order_no: &str, payment_no: &str) -> String {
    let order = client.demo_read(order_no).await;
    let payments = order["payments"].as_array().unwrap();
    let payment = payments.iter().find(|payment| payment["payment_no"] == payment_no);
    let url = payment.and_then(|payment| payment["action"]["url"].as_str());
    let url = url
        .unwrap_or_else(|| panic!("a way to pay {payment_no}: {order:#}"))
        .to_owned();
    // Alipay's address leads to the cashier, and only then is the payment known there.
    let page = client.http.get(&url).send().await.unwrap();
    match page.headers().get("location") {
        Some(location) => location.to_str().unwrap().to_owned(),
        None => url,
    }
}

/// Presses a button of a cashier.
pub async fn press(client: &Client, cashier: &str, action: &str, misbehaviour: &str) {
    let form = [("action", action), ("misbehaviour", misbehaviour), ("position", "1")];
    let pressed = Reply::to(client.http.post(cashier).form(&form)).await;
    assert_eq!(pressed.status, 303, "{}", pressed.body);
}

/// Begins a payment of an order of `demo` and pays it at the cashier; its number.
pub async fn pay_at_cashier(client: &Client, order_no: &str, channel: ChannelId, misbehaviour: &str) -> String {
    let payment_no = client.demo_pay(order_no, channel).await;
    let cashier = cashier_of(client, order_no, &payment_no).await;
    press(client, &cashier, "pay", misbehaviour).await;
    payment_no
}

/// An order of `demo` that was paid at the cashier.
pub async fn paid_order(client: &Client, key: &str, body: &Value, channel: ChannelId, misbehaviour: &str) -> String {
    let order_no = client.place_as_demo(key, body).await.order_no();
    pay_at_cashier(client, &order_no, channel, misbehaviour).await;
    client.demo_wait_status(&order_no, "PAID").await;
    order_no
}

/// Where the gateway says that a payment stands: `open`, `paid`, `closed` or `failed`.
pub async fn state_at(client: &Client, cashier: &str) -> String {
    let page = Reply::to(client.http.get(cashier)).await;
    let at = page.body.find("data-state=\"").expect("a state") + 12;
    page.body[at..].split('"').next().unwrap_or_default().to_owned()
}

/// The gateway's number of the money that a payment took.
pub async fn transaction_at(client: &Client, cashier: &str) -> String {
    let page = Reply::to(client.http.get(cashier)).await.body;
    let list = page.find("id=\"transactions\"").expect("the transactions");
    let at = list + page[list..].find("<li>").expect("a transaction") + 4;
    page[at..].split('<').next().unwrap_or_default().to_owned()
}

/// The names of an order's events, oldest first.
pub fn events(order: &Value) -> Vec<&str> {
    let events = order["events"].as_array().unwrap();
    events.iter().map(|event| event["event"].as_str().unwrap()).collect()
}

/// A problem's status and the last part of its type.
pub fn problem(reply: &Reply) -> (u16, String) {
    (reply.status.as_u16(), reply.problem())
}

/// Sends the goods of an order off, as the shop's people do.
pub async fn ship(shop: &crate::support::shop::Shop<'_>, order_no: &str) {
    use server::{
        domain::order::Source,
        idempotency::Outcome,
        orders::act::{Act, act},
    };
    let shipped = act(
        &shop.running.executor,
        "operator",
        Source::Operator,
        order_no,
        Act::Ship,
    )
    .await;
    assert!(matches!(shipped, Ok(Outcome::Done { .. })), "{shipped:?}");
}

/// Asks for a refund with a body of the test's own.
pub async fn refund_with(client: &Client, order_no: &str, body: &Value) -> Reply {
    client.demo_post(order_no, "refunds", Some(body)).await
}

/// What the request for a refund is.
pub fn refund_body(refund_no: &str, amount_fen: impl Into<Value>) -> Value {
    json!({ "refund_no": refund_no, "amount_fen": amount_fen.into(), "reason": "a test" })
}

/// Reads a path of the API as `demo`.
pub async fn demo_get(client: &Client, path: &str) -> Reply {
    Reply::to(client.request(Method::GET, path).bearer_auth("demo")).await
}
