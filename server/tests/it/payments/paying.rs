//! From an order to its payment, through the sandbox gateway over real HTTP.

use crate::support::{
    client::Client,
    on_both_databases,
    payment::{PENCIL_FEN, Provider, assert_acknowledged},
    shop::{Backend, Place},
};
use server::channels::ChannelId;

on_both_databases!(
    an_order_is_paid_once_with_each_channel,
    a_cancelled_order_gives_everything_back_once,
);

async fn an_order_is_paid_once_with_each_channel(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    for channel in ChannelId::ALL {
        let order_no = client.demo_pencil(&format!("paid-{channel}")).await;
        let payment_no = client.demo_pay(&order_no, channel).await;
        assert_eq!(
            client.demo_pay(&order_no, channel).await,
            payment_no,
            "pressed twice, begun once"
        );
        let what = provider.paid(&payment_no, &format!("T-{order_no}"), PENCIL_FEN);
        for _ in 0..3 {
            assert_acknowledged(channel, &provider.send(&shop.url, channel, &what).await);
        }
        let order = client.demo_read(&order_no).await;
        assert_eq!(
            (&order["status"], &order["paid_fen"]),
            (&"PAID".into(), &PENCIL_FEN.into())
        );
        assert_eq!(order["payments"].as_array().unwrap().len(), 1, "{order:#}");
        assert_eq!(order["events"].as_array().unwrap().len(), 2, "{order:#}");
    }
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

async fn a_cancelled_order_gives_everything_back_once(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let client = Client::new(&shop.url);
    let stock = "SELECT available + 1000 * reserved FROM product WHERE sku = 'SKU-1'";
    let before = place.number(stock).await;
    let order_no = client.demo_pencil("cancelled").await;
    let payment_no = client.demo_pay(&order_no, ChannelId::Wechat).await;
    let cancels = futures::future::join_all((0..20).map(|_| client.demo_post(&order_no, "cancel", None))).await;
    for cancel in &cancels {
        assert_eq!((cancel.status.as_u16(), &cancel.body), (200, &cancels[0].body));
    }
    place.wait_until_relayed().await;
    assert_eq!(place.number(stock).await, before);
    let order = client.demo_read(&order_no).await;
    assert_eq!(
        (&order["status"], &order["payments"][0]["status"]),
        (&"CLOSED".into(), &"CLOSED".into())
    );
    // The money that comes all the same is given back, once.
    let provider = Provider::of(&place);
    let what = provider.paid(&payment_no, "LATE-1", PENCIL_FEN);
    for _ in 0..3 {
        assert_acknowledged(
            ChannelId::Wechat,
            &provider.send(&shop.url, ChannelId::Wechat, &what).await,
        );
    }
    let order = client.demo_read(&order_no).await;
    assert_eq!(
        (&order["status"], &order["surplus"][0]["reason"]),
        (&"CLOSED".into(), &"late_payment".into())
    );
    assert_eq!(order["surplus"].as_array().unwrap().len(), 1);
    place.assert_consistent().await;
}
