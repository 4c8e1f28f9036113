//! When a notification was signed: near enough counts, anything else does not, however well it is signed. Alipay's protocol has no
//! time window; there an old notice is as good as a new one, and as harmless, because what it says happens once.

use crate::support::{
    client::Client,
    on_both_databases,
    payment::{PENCIL_FEN, Provider, assert_acknowledged},
    shop::{Backend, Place},
};
use server::{
    channels::{ChannelId, standard_webhooks, wechat::signing},
    sandbox::sign::{SignedRequest, Tamper},
};

on_both_databases!(
    a_notification_counts_within_five_minutes_of_its_signature_and_not_beyond,
    an_alipay_notice_has_no_age,
);

async fn a_notification_counts_within_five_minutes_of_its_signature_and_not_beyond(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let provider = || Provider::of(&place);
    for channel in [ChannelId::Wechat, ChannelId::Webhook] {
        for near in [-240, 240] {
            let (order_no, payment_no) = client.demo_waiting(&format!("{channel}-{near}"), channel).await;
            let what = provider().paid(&payment_no, &format!("T-{order_no}"), PENCIL_FEN);
            for far in [-86_400, -360, 360, 86_400] {
                let reply = provider().ahead(far).send(&shop.url, channel, &what).await;
                assert_eq!(reply.status, 401, "{channel}, {far} s away: {}", reply.body);
            }
            for odd in odd_times(provider().now()) {
                let genuine = provider().signed(channel, &what, Tamper::None);
                let reply = provider()
                    .send_signed(&shop.url, channel, signed_at(&provider(), genuine, &odd))
                    .await;
                assert_eq!(reply.status, 401, "{channel}, signed at {odd:?}: {}", reply.body);
            }
            assert_eq!(place.status_of(&order_no).await, "WAIT_PAY");
            assert_acknowledged(channel, &provider().ahead(near).send(&shop.url, channel, &what).await);
            place.assert_paid_once(&order_no).await;
        }
        // The same hand signs well what is well dated: the odd times were all that was wrong.
        let (order_no, payment_no) = client.demo_waiting(&format!("{channel}-by-hand"), channel).await;
        let what = provider().paid(&payment_no, &format!("T-{order_no}"), PENCIL_FEN);
        let genuine = provider().signed(channel, &what, Tamper::None);
        let by_hand = signed_at(&provider(), genuine, &(provider().now() / 1_000).to_string());
        assert_acknowledged(channel, &provider().send_signed(&shop.url, channel, by_hand).await);
        place.assert_paid_once(&order_no).await;
    }
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

/// Times of signing that are none, or are in milliseconds.
fn odd_times(now: i64) -> [String; 8] {
    let seconds = now / 1_000;
    [
        now.to_string(),
        format!("-{seconds}"),
        format!("+{seconds}"),
        format!("{seconds}.0"),
        format!("{seconds} 1"),
        "abc".to_owned(),
        "0".to_owned(),
        "99999999999999999999".to_owned(),
    ]
}

/// The same message, dated anew and signed well.
fn signed_at(provider: &Provider, mut request: SignedRequest, timestamp: &str) -> SignedRequest {
    let keys = provider.keys();
    let header = |name: &str| {
        let found = request.headers.iter().find(|(header, _)| *header == name);
        found.map(|(_, value)| value.clone())
    };
    let signature = match (header("wechatpay-nonce"), header("webhook-id")) {
        (Some(nonce), _) => {
            let message = signing::signed_message(timestamp, &nonce, &request.body);
            signing::sign(&keys.wechat.platform, &message).unwrap()
        }
        (None, id) => standard_webhooks::signature(&keys.webhook[0], &id.unwrap(), timestamp, &request.body),
    };
    for (name, value) in &mut request.headers {
        if name.ends_with("-timestamp") {
            timestamp.clone_into(value);
        } else if name.ends_with("-signature") {
            signature.clone_into(value);
        }
    }
    request
}

async fn an_alipay_notice_has_no_age(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    let (order_no, payment_no) = client.demo_waiting("old", ChannelId::Alipay).await;
    let what = provider.paid(&payment_no, "T-1", PENCIL_FEN);
    for _ in 0..3 {
        let old = provider
            .send_tampered(&shop.url, ChannelId::Alipay, &what, Tamper::Timestamp)
            .await;
        assert_acknowledged(ChannelId::Alipay, &old);
    }
    place.assert_paid_once(&order_no).await;
}
