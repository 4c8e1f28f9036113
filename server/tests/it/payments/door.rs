//! The way to a payment provider, which can be open, silent, somebody else's, or a no.

use crate::support::shop::{Place, Shop};
use serde_json::{Value, json};
use server::{clock::Clock, sandbox::keys::SandboxKeys};
use std::sync::Arc;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// How the door to the provider is.
#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    /// The provider answers.
    Open,
    /// What comes is taken, and nothing ever answers.
    Silent,
    /// Somebody answers as a provider would, without its signature.
    Unsigned,
    /// The provider says no.
    Refusing,
}

/// A provider behind a door: the gateway of another shop, whose keys are the same.
pub struct Door {
    url: String,
    mode: watch::Sender<Mode>,
    keys: Arc<SandboxKeys>,
}

impl Door {
    /// In front of the gateway of an open shop.
    pub async fn before(gateway: &Place, shop: &Shop<'_>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (mode, seen) = watch::channel(Mode::Open);
        let keys = Arc::new(SandboxKeys::open(gateway.directory()).unwrap());
        let (provider, its_keys) = (shop.running.address, Arc::clone(&keys));
        tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                let (mut seen, keys) = (seen.clone(), Arc::clone(&its_keys));
                let mode = *seen.borrow_and_update();
                tokio::spawn(async move {
                    tokio::select! {
                        () = answer(caller, mode, provider, &keys) => {}
                        // A door that changes drops whoever stands in it, and connections that are kept.
                        _ = seen.changed() => {}
                    }
                });
            }
        });
        Self { url, mode, keys }
    }

    /// Changes; whoever stands in the door is dropped.
    pub fn becomes(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }

    /// What a shop is told so that this is its one provider.
    pub fn flags(&self) -> Vec<String> {
        let options = self
            .keys
            .channel_options(&format!("{}/sandbox", self.url), &self.url, "");
        vec![
            "--sandbox=false".to_owned(),
            "--api-clients=demo=demo".to_owned(),
            "--notify-url=http://127.0.0.1:9".to_owned(),
            format!("--webhook-api={}", options.webhook_api.unwrap()),
            format!("--webhook-merchant={}", options.webhook_merchant.unwrap()),
            format!("--webhook-secrets={}", options.webhook_secrets.unwrap()),
        ]
    }
}

async fn answer(mut caller: TcpStream, mode: Mode, provider: std::net::SocketAddr, keys: &SandboxKeys) {
    match mode {
        Mode::Open => {
            if let Ok(mut provider) = TcpStream::connect(provider).await {
                let _ = tokio::io::copy_bidirectional(&mut caller, &mut provider).await;
            }
        }
        Mode::Silent => std::future::pending().await,
        Mode::Unsigned | Mode::Refusing => {
            let asked = read_request(&mut caller).await;
            let number = asked["payment_no"].as_str().unwrap_or_default();
            let (status, body) = if mode == Mode::Unsigned {
                (
                    "200 OK",
                    json!({ "payment_no": number, "state": "open", "pay_url": "https://evil.example/" }),
                )
            } else {
                ("409 Conflict", json!({ "code": "refused", "message": "no" }))
            };
            let body = body.to_string().into_bytes();
            let mut head = format!(
                "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n",
                body.len()
            );
            if mode == Mode::Refusing {
                let signed = keys.sign_webhook("msg_no", &body, Clock::default().now()).unwrap();
                for (name, value) in &signed.headers {
                    if *name != "content-length" {
                        head.push_str(&format!("{name}: {value}\r\n"));
                    }
                }
            }
            head.push_str("\r\n");
            let _ = caller.write_all(&[head.into_bytes(), body].concat()).await;
            let _ = caller.shutdown().await;
        }
    }
}

/// The JSON of a request.
async fn read_request(caller: &mut TcpStream) -> Value {
    let (mut read, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(length @ 1..) = caller.read(&mut buffer).await {
        read.extend_from_slice(&buffer[..length]);
        let text = String::from_utf8_lossy(&read);
        let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        if let Ok(body) = serde_json::from_str(body) {
            return body;
        }
    }
    Value::Null
}
