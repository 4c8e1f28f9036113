//! Money as the tests move it: the providers' side ([`Provider`], which signs with the sandbox gateway's keys) and what an API client
//! does with its orders.

use super::{
    client::{Client, Reply, one_pencil},
    shop::Place,
};
use reqwest::Method;
use serde_json::{Value, json};
use server::{
    channels::ChannelId,
    clock::Clock,
    sandbox::{
        keys::SandboxKeys,
        sign::{Kind, SignedRequest, Tamper, What},
    },
};
use sqlx::Row as _;
use std::time::{Duration, Instant};

/// Longest time for something that happens in the background.
const PATIENCE: Duration = Duration::from_secs(20);

/// The payment providers, as far as they speak to the shop.
pub struct Provider {
    keys: SandboxKeys,
    http: reqwest::Client,
    clock: Clock,
}

impl Provider {
    /// With the keys of a place's sandbox gateway.
    pub fn of(place: &Place) -> Self {
        Self::with_keys(SandboxKeys::open(place.directory()).expect("the keys are there"))
    }

    /// With these keys.
    pub fn with_keys(keys: SandboxKeys) -> Self {
        Self {
            keys,
            http: reqwest::Client::new(),
            clock: Clock::default(),
        }
    }

    /// Whose clock runs ahead by so many seconds.
    pub fn ahead(mut self, seconds: i64) -> Self {
        self.clock = Clock::with_offset_seconds(seconds);
        self
    }

    /// The keys.
    pub fn keys(&self) -> &SandboxKeys {
        &self.keys
    }

    /// Now, as the providers' clock has it.
    pub fn now(&self) -> i64 {
        self.clock.now()
    }

    /// "Money arrived": one transaction per number given.
    pub fn paid(&self, payment_no: &str, transaction_id: &str, amount_fen: i64) -> What {
        What::of_payment(Kind::Paid, payment_no, transaction_id, amount_fen, self.clock.now())
    }

    /// Other news of a payment.
    pub fn news(&self, kind: Kind, payment_no: &str, amount_fen: i64) -> What {
        What::of_payment(kind, payment_no, "", amount_fen, self.clock.now())
    }

    /// A notification, signed now.
    pub fn signed(&self, channel: ChannelId, what: &What, tamper: Tamper) -> SignedRequest {
        self.keys
            .notification(channel, what, tamper, self.clock.now())
            .expect("it can be signed")
    }

    /// Sends a notification to a shop.
    pub async fn send(&self, shop: &str, channel: ChannelId, what: &What) -> Reply {
        self.send_tampered(shop, channel, what, Tamper::None).await
    }

    /// Sends a notification with which something is wrong.
    pub async fn send_tampered(&self, shop: &str, channel: ChannelId, what: &What, tamper: Tamper) -> Reply {
        self.send_signed(shop, channel, self.signed(channel, what, tamper))
            .await
    }

    /// Sends a request that was signed before.
    pub async fn send_signed(&self, shop: &str, channel: ChannelId, request: SignedRequest) -> Reply {
        let headers = request.header_map();
        let url = format!("{shop}/callbacks/{channel}");
        Reply::to(self.http.post(url).headers(headers).body(request.body)).await
    }
}

/// Whether an answer is the success form of a channel, byte for byte.
pub fn is_acknowledged(channel: ChannelId, reply: &Reply) -> bool {
    match channel {
        ChannelId::Wechat | ChannelId::Webhook => reply.status == 204 && reply.body.is_empty(),
        ChannelId::Alipay => reply.status == 200 && reply.body == "success",
    }
}

/// Asserts that an answer is the form after which a channel sends again, byte for byte.
pub fn assert_not_now(channel: ChannelId, reply: &Reply) {
    let body = match channel {
        ChannelId::Wechat => r#"{"code":"FAIL","message":"not processed, please send again"}"#,
        ChannelId::Alipay => "fail",
        ChannelId::Webhook => "",
    };
    assert_eq!(
        (reply.status.is_server_error(), reply.body.as_str()),
        (true, body),
        "{channel}: {}",
        reply.status
    );
}

/// Asserts that an answer is the success form of a channel.
pub fn assert_acknowledged(channel: ChannelId, reply: &Reply) {
    assert!(
        is_acknowledged(channel, reply),
        "{channel}: {} {}",
        reply.status,
        reply.body
    );
}

/// The total of [`one_pencil`], in fen.
pub const PENCIL_FEN: i64 = 3;

impl Client {
    /// A new order of one pencil of the API client `demo`; its number.
    pub async fn demo_pencil(&self, key: &str) -> String {
        self.place_as_demo(key, &one_pencil()).await.order_no()
    }

    /// Does something with an order as the API client `demo`.
    pub async fn demo_post(&self, order_no: &str, what: &str, body: Option<&Value>) -> Reply {
        let request = self
            .request(Method::POST, &format!("/api/orders/{order_no}/{what}"))
            .bearer_auth("demo");
        Reply::to(match body {
            Some(body) => request.json(body),
            None => request,
        })
        .await
    }

    /// A new order of one pencil of `demo` and a payment of it that waits for its money; both numbers.
    pub async fn demo_waiting(&self, key: &str, channel: ChannelId) -> (String, String) {
        let order_no = self.demo_pencil(key).await;
        let payment_no = self.demo_pay(&order_no, channel).await;
        (order_no, payment_no)
    }

    /// Begins a payment of an order of `demo`; its number.
    pub async fn demo_pay(&self, order_no: &str, channel: ChannelId) -> String {
        let body = json!({ "channel": channel.as_str() });
        let reply = self.demo_post(order_no, "payments", Some(&body)).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
        reply.json()["payment_no"]
            .as_str()
            .expect("a payment number")
            .to_owned()
    }

    /// Pays one of an order's payments at the gateway's cashier page, as the page's form does.
    pub async fn pay_at_cashier(&self, order_no: &str, payment_no: &str, misbehaviour: &str) {
        let order = self.demo_read(order_no).await;
        let payments = order["payments"].as_array().expect("payments");
        let payment = payments.iter().find(|payment| payment["payment_no"] == payment_no);
        let mut cashier = payment.expect("the payment")["action"]["url"]
            .as_str()
            .expect("an address")
            .to_owned();
        if !cashier.contains("/pay/") {
            // Alipay's page takes the signed request and leads on.
            let page = Reply::to(self.http.get(&cashier)).await;
            assert_eq!(page.status, 303, "{}", page.body);
            page.header("location").clone_into(&mut cashier);
        }
        let fields = [("action", "pay"), ("misbehaviour", misbehaviour)];
        let paid = Reply::to(self.http.post(&cashier).form(&fields)).await;
        assert_eq!(paid.status, 303, "{}", paid.body);
    }

    /// Asks money of an order of `demo` back.
    pub async fn demo_refund(&self, order_no: &str, refund_no: &str, amount_fen: i64) -> Reply {
        let body = json!({ "refund_no": refund_no, "amount_fen": amount_fen, "reason": "a test" });
        self.demo_post(order_no, "refunds", Some(&body)).await
    }

    /// An order of `demo` as it reads now.
    pub async fn demo_read(&self, order_no: &str) -> Value {
        let request = self
            .request(Method::GET, &format!("/api/orders/{order_no}"))
            .bearer_auth("demo");
        let reply = Reply::to(request).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json()
    }

    /// Waits until an order of `demo` reads like this.
    pub async fn demo_wait(&self, order_no: &str, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let order = self.demo_read(order_no).await;
            if is_so(&order) {
                return order;
            }
            assert!(Instant::now() < deadline, "{order_no}: {what} in time: {order:#}");
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Waits until an order of `demo` has this status.
    pub async fn demo_wait_status(&self, order_no: &str, status: &str) -> Value {
        self.demo_wait(order_no, &format!("it is {status}"), |order| order["status"] == status)
            .await
    }
}

impl Place {
    /// Asserts that an order was paid once and only once: one payment, one step of the order, one message, one entry of money.
    pub async fn assert_paid_once(&self, order_no: &str) {
        for (rule, sql) in [
            (
                "payments that succeeded",
                "SELECT COUNT(*) FROM payment WHERE order_no = $1 AND status = 'SUCCEEDED'",
            ),
            (
                "steps to PAID",
                "SELECT COUNT(*) FROM order_event WHERE order_no = $1 AND event = 'payment_succeeded' AND to_status = 'PAID'",
            ),
            (
                "ORDER_PAID messages",
                "SELECT COUNT(*) FROM outbox_message WHERE order_no = $1 AND kind = 'ORDER_PAID'",
            ),
            (
                "entries of money",
                "SELECT COUNT(*) FROM money_ledger WHERE order_no = $1 AND amount_fen > 0",
            ),
        ] {
            assert_eq!(self.number_of(sql, order_no).await, 1, "{order_no}: {rule}");
        }
    }

    /// The status of an order.
    pub async fn status_of(&self, order_no: &str) -> String {
        let database = self.database().await;
        let row = sqlx::query("SELECT status FROM orders WHERE order_no = $1")
            .bind(order_no)
            .fetch_one(&mut *database.reader().await.expect("a connection"))
            .await
            .expect("an order");
        let status = row.try_get("status").expect("a status");
        database.close().await;
        status
    }

    /// Waits until a number out of the database is this.
    pub async fn wait_number(&self, sql: &'static str, wanted: i64) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let number = self.number(sql).await;
            if number == wanted {
                return;
            }
            assert!(Instant::now() < deadline, "{sql} is {number}, not {wanted}");
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Waits until every delivery that has a consumer here is done.
    pub async fn wait_until_relayed(&self) {
        let open = "SELECT COUNT(*) FROM outbox_delivery WHERE status <> 'done' AND consumer <> 'shipping'";
        self.wait_number(open, 0).await;
    }
}
