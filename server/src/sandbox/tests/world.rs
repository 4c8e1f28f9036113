//! A gateway, a shop that only keeps what it is told, and a browser without pages.

use super::super::{behaviour::Misbehaviour, keys, sender, sign, *};
use crate::channels::{Channel, ChannelId, Channels, Fact, NewPayment, PaymentAction, RefundState};
use axum::http::HeaderMap;
use std::sync::Mutex;
use tempfile::TempDir;
use tokio::net::TcpListener;

/// Fast enough for a test: a WeChat schedule of a day takes less than half a second.
const SCALE: f64 = 0.000_005;

/// One callback as it came.
pub type Callback = (String, HeaderMap, Vec<u8>);

/// A shop that keeps the callbacks and answers what it is told to.
#[derive(Clone, Default)]
pub struct Receiver {
    callbacks: Arc<Mutex<Vec<Callback>>>,
    answers: Arc<Mutex<Vec<(u16, &'static str)>>>,
}

impl Receiver {
    /// These answers in turn, then the channel's own success.
    pub fn answer(&self, answers: &[(u16, &'static str)]) {
        *self.answers.lock().unwrap() = answers.iter().rev().copied().collect();
    }

    pub fn count(&self) -> usize {
        self.callbacks.lock().unwrap().len()
    }

    pub async fn until(&self, count: usize) -> Vec<Callback> {
        for _ in 0..LOOKS {
            if self.count() >= count {
                return self.callbacks.lock().unwrap().clone();
            }
            tokio::time::sleep(LOOK).await;
        }
        panic!("{} callbacks instead of {count}", self.count());
    }

    pub async fn serve(&self) -> String {
        let receiver = self.clone();
        let handler = move |axum::extract::Path(channel): axum::extract::Path<String>,
                            headers: HeaderMap,
                            body: axum::body::Bytes| async move {
            receiver
                .callbacks
                .lock()
                .unwrap()
                .push((channel, headers, body.to_vec()));
            let (status, body) = receiver.answers.lock().unwrap().pop().unwrap_or((200, "success"));
            (StatusCode::from_u16(status).unwrap(), body)
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/callbacks/{channel}", post(handler));
        tokio::spawn(async move { axum::serve(listener, router).await });
        format!("http://{address}")
    }
}

/// How often something awaited is looked for, and how many times.
const LOOK: Duration = Duration::from_millis(20);
const LOOKS: u32 = 600;

pub struct World {
    pub gateway: Gateway,
    pub channels: Channels,
    pub receiver: Receiver,
    pub base: String,
    pub stop: CancellationToken,
    pub directory: TempDir,
}

pub fn gateway_settings() -> GatewaySettings {
    GatewaySettings {
        clock: Clock::default(),
        gap_scale: SCALE,
        leptos: LeptosOptions::builder().output_name("oncemart").build(),
    }
}

pub async fn world() -> World {
    let directory = keys::tests::directory_with_keys();
    let receiver = Receiver::default();
    let shop = receiver.serve().await;
    let gateway = Gateway::open(directory.path(), gateway_settings()).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/sandbox", listener.local_addr().unwrap());
    gateway.set_addresses(Addresses {
        server: base.clone(),
        browser: base.clone(),
    });
    let router = Router::new().nest("/sandbox", gateway.router());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let stop = CancellationToken::new();
    let sender = (gateway.clone(), stop.clone());
    tokio::spawn(async move { sender.0.run(sender.1).await });
    let options = gateway.keys().channel_options(&base, &base, &shop);
    let channels = options.open(None, Clock::default(), Duration::from_secs(3)).unwrap();
    World {
        gateway,
        channels,
        receiver,
        base,
        stop,
        directory,
    }
}

pub fn browser() -> reqwest::Client {
    sender::client().unwrap()
}

impl World {
    pub fn channel(&self, id: ChannelId) -> Arc<dyn Channel> {
        self.channels.get(id).unwrap()
    }

    /// Waits until every notification is acknowledged or given up: what has been received then is all there will be.
    pub async fn until_nothing_waits(&self) {
        for _ in 0..LOOKS {
            let notices = self.gateway.store().notices(1_000).await.unwrap();
            if notices.iter().all(|notice| notice.state != "waiting") {
                return;
            }
            tokio::time::sleep(LOOK).await;
        }
        panic!("a notification still waits");
    }

    /// Waits until a refund is no longer on its way, and says how it ended.
    pub async fn until_refund_ends(&self, id: ChannelId, refund_no: &str, payment_no: &str) -> RefundState {
        for _ in 0..LOOKS {
            let state = self.channel(id).query_refund(refund_no, payment_no).await.unwrap();
            if state != RefundState::Processing {
                return state;
            }
            tokio::time::sleep(LOOK).await;
        }
        panic!("{refund_no} is still on its way");
    }

    pub fn new_payment(&self, number: &str) -> NewPayment {
        NewPayment {
            payment_no: number.to_owned(),
            amount_fen: 19_900,
            subject: "龙井茶".to_owned(),
            pay_before: Clock::default().now() + 900_000,
            return_url: "http://127.0.0.1:9/orders/OM-1?x=1".to_owned(),
        }
    }

    /// Asks for a payment and opens its cashier page; gives the page's address.
    pub async fn cashier(&self, id: ChannelId, number: &str) -> String {
        let action = self.channel(id).create(&self.new_payment(number)).await.unwrap();
        let address = match action {
            PaymentAction::Qr(address) => address,
            PaymentAction::Redirect(address) if id == ChannelId::Alipay => {
                let led = browser().get(address).send().await.unwrap();
                assert_eq!(led.status(), 303);
                led.headers()["location"].to_str().unwrap().to_owned()
            }
            PaymentAction::Redirect(address) => address,
        };
        assert!(address.starts_with(&format!("{}/pay/", self.base)), "{address}");
        address
    }

    /// Presses a button of the page; gives where it leads.
    pub async fn press(&self, cashier: &str, action: &str, misbehaviour: Misbehaviour) -> String {
        let form = [
            ("action", action),
            ("misbehaviour", &sign::name_of(&misbehaviour)),
            ("position", "1"),
        ];
        let led = browser().post(cashier).form(&form).send().await.unwrap();
        assert_eq!(led.status(), 303);
        led.headers()["location"].to_str().unwrap().to_owned()
    }

    /// The fact of a callback, as the shop reads it.
    pub fn fact(&self, (channel, headers, body): &Callback) -> Fact {
        let channel = self.channel(ChannelId::parse(channel).unwrap());
        channel.verify(headers, body, Clock::default().now()).unwrap().fact
    }

    pub async fn notice_state(&self) -> String {
        self.gateway.store().notices(1).await.unwrap().remove(0).state
    }
}
