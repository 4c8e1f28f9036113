//! The same fact told again: by its provider's whole schedule, at once, under other numbers, after the order has moved on, after
//! its record has gone. It counts once, and every telling gets the success form.

use crate::support::{
    client::Client,
    on_both_databases,
    payment::{PENCIL_FEN, Provider, assert_acknowledged},
    shop::{Backend, Place, Shop, ShopProcess},
};
use futures::future::join_all;
use server::{
    channels::ChannelId,
    clock::Clock,
    sandbox::{sign::Tamper, store::Store},
};

on_both_databases!(
    a_whole_schedule_of_deliveries_counts_once,
    twenty_identical_callbacks_at_once_count_once,
    one_transaction_under_five_numbers_counts_once,
    a_repeat_after_the_shipment_is_acknowledged_and_changes_nothing,
    a_repeat_after_the_refund_is_acknowledged_and_changes_nothing,
    a_repeat_after_a_day_is_acknowledged_and_changes_nothing,
    a_fact_counts_once_although_its_record_has_gone,
);

/// The schedules of a day in about a second.
const FAST: &str = "--sandbox-gap-scale=0.00001";

async fn a_whole_schedule_of_deliveries_counts_once(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[FAST]).await;
    let client = Client::new(&shop.url);
    for (channel, deliveries) in [
        (ChannelId::Wechat, 16),
        (ChannelId::Alipay, 8),
        (ChannelId::Webhook, 10),
    ] {
        let (order_no, payment_no) = client.demo_waiting(&format!("schedule-{channel}"), channel).await;
        client.pay_at_cashier(&order_no, &payment_no, "full-schedule").await;
        let sandbox = Store::open(place.directory(), Clock::default()).await.unwrap();
        let sent = sandbox_sent(&sandbox, &payment_no, deliveries).await;
        // The gateway counts an answer that takes longer than the provider's 5 seconds as none.
        let form = match channel {
            ChannelId::Alipay => (200, "success"),
            ChannelId::Wechat | ChannelId::Webhook => (204, ""),
        };
        for (status, answer) in &sent {
            assert_eq!((*status, answer.as_str()), form, "{channel}");
        }
        sandbox.close().await;
        place.assert_paid_once(&order_no).await;
    }
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

/// The answers to every delivery of a payment's one notification, once it has been sent so often and will not be again.
async fn sandbox_sent(sandbox: &Store, payment_no: &str, deliveries: i64) -> Vec<(u16, String)> {
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
    let notice = loop {
        let notices = sandbox.notices(100).await.unwrap();
        let notice = notices
            .into_iter()
            .find(|notice| notice.payment_no == payment_no)
            .unwrap();
        if notice.state != "waiting" {
            break notice;
        }
        assert!(tokio::time::Instant::now() < deadline, "the schedule ends: {notice:#?}");
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    };
    assert_eq!((notice.attempts, notice.state.as_str()), (deliveries, "acknowledged"));
    let traffic = sandbox.traffic(1_000).await.unwrap();
    let sent: Vec<_> = traffic
        .into_iter()
        .filter(|line| line.direction == "sent" && line.request.contains(payment_no))
        .map(|line| (line.status, line.answer))
        .collect();
    assert_eq!(i64::try_from(sent.len()).unwrap(), deliveries);
    sent
}

/// Several servers on PostgreSQL, the one that there can be on SQLite.
fn servers(place: &Place, backend: Backend) -> Vec<ShopProcess> {
    let number = if backend == Backend::Sqlite { 1 } else { 2 };
    (0..number).map(|_| place.spawn(&[])).collect()
}

async fn twenty_identical_callbacks_at_once_count_once(backend: Backend) {
    let place = Place::new(backend).await;
    let servers = servers(&place, backend);
    let (client, provider) = (Client::new(&servers[0].url), Provider::of(&place));
    for channel in ChannelId::ALL {
        for (round, signed_anew) in [(1, false), (2, true)] {
            let (order_no, payment_no) = client.demo_waiting(&format!("twenty-{channel}-{round}"), channel).await;
            let what = provider.paid(&payment_no, &format!("T-{order_no}"), PENCIL_FEN);
            let captured = provider.signed(channel, &what, Tamper::None);
            let began = std::time::Instant::now();
            let replies = join_all((0..20).map(|number| {
                let request = if signed_anew {
                    provider.signed(channel, &what, Tamper::None)
                } else {
                    captured.clone()
                };
                provider.send_signed(&servers[number % servers.len()].url, channel, request)
            }))
            .await;
            assert!(began.elapsed().as_secs() < 5, "{channel}: {:?}", began.elapsed());
            for reply in &replies {
                assert_acknowledged(channel, reply);
            }
            place.assert_paid_once(&order_no).await;
        }
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM surplus").await, 0);
    assert_eq!(place.number("SELECT COUNT(*) FROM anomaly").await, 0);
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

async fn one_transaction_under_five_numbers_counts_once(backend: Backend) {
    let place = Place::new(backend).await;
    let servers = servers(&place, backend);
    let (client, provider) = (Client::new(&servers[0].url), Provider::of(&place));
    for channel in ChannelId::ALL {
        let (order_no, payment_no) = client.demo_waiting(&format!("numbers-{channel}"), channel).await;
        // Each has a number of its own.
        let told = || provider.paid(&payment_no, &format!("T-{order_no}"), PENCIL_FEN);
        assert_acknowledged(channel, &provider.send(&servers[0].url, channel, &told()).await);
        let at_once = [told(), told(), told()];
        let replies = at_once
            .iter()
            .enumerate()
            .map(|(number, what)| provider.send(&servers[number % servers.len()].url, channel, what));
        for reply in join_all(replies).await {
            assert_acknowledged(channel, &reply);
        }
        assert_acknowledged(channel, &provider.send(&servers[0].url, channel, &told()).await);
        place.assert_paid_once(&order_no).await;
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM anomaly").await, 0);
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

/// An order of each channel that was paid at the gateway, and the transaction that paid it.
async fn paid_orders(place: &Place, shop: &Shop<'_>) -> Vec<(ChannelId, String, String, String)> {
    let client = Client::new(&shop.url);
    let mut paid = Vec::new();
    for channel in ChannelId::ALL {
        let (order_no, payment_no) = client.demo_waiting(&format!("paid-{channel}"), channel).await;
        client.pay_at_cashier(&order_no, &payment_no, "none").await;
        client.demo_wait_status(&order_no, "PAID").await;
        let sandbox = Store::open(place.directory(), Clock::default()).await.unwrap();
        let money = sandbox.money(channel, &payment_no).await.unwrap();
        sandbox.close().await;
        paid.push((channel, order_no, payment_no, money[0].transaction_id.clone()));
    }
    place.wait_until_relayed().await;
    paid
}

/// Tells every fact again, one after another and at once.
async fn tell_again(shop: &Shop<'_>, provider: &Provider, paid: &[(ChannelId, String, String, String)]) {
    for (channel, _, payment_no, transaction_id) in paid {
        let what = provider.paid(payment_no, transaction_id, PENCIL_FEN);
        let mut replies = vec![provider.send(&shop.url, *channel, &what).await];
        replies.extend(join_all((0..5).map(|_| provider.send(&shop.url, *channel, &what))).await);
        for reply in &replies {
            assert_acknowledged(*channel, reply);
        }
    }
}

async fn a_repeat_after_the_shipment_is_acknowledged_and_changes_nothing(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[FAST]).await;
    let paid = paid_orders(&place, &shop).await;
    for (_, order_no, ..) in &paid {
        let shipped = place.run(&["ship", order_no]);
        assert!(shipped.status.success(), "{}", String::from_utf8_lossy(&shipped.stderr));
    }
    let before = place.row_counts().await;
    tell_again(&shop, &Provider::of(&place), &paid).await;
    for (_, order_no, ..) in &paid {
        assert_eq!(place.status_of(order_no).await, "SHIPPED");
        place.assert_paid_once(order_no).await;
    }
    assert_eq!(place.row_counts().await, before);
    place.assert_consistent().await;
}

async fn a_repeat_after_the_refund_is_acknowledged_and_changes_nothing(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[FAST]).await;
    let client = Client::new(&shop.url);
    let paid = paid_orders(&place, &shop).await;
    for (channel, order_no, ..) in &paid {
        let asked = client
            .demo_refund(order_no, &format!("{order_no}-all"), PENCIL_FEN)
            .await;
        assert!(asked.status.is_success(), "{channel}: {} {}", asked.status, asked.body);
        client.demo_wait_status(order_no, "REFUNDED").await;
    }
    place.wait_until_relayed().await;
    let before = place.row_counts().await;
    tell_again(&shop, &Provider::of(&place), &paid).await;
    for (_, order_no, ..) in &paid {
        assert_eq!(place.status_of(order_no).await, "REFUNDED");
        place.assert_paid_once(order_no).await;
    }
    assert_eq!(place.row_counts().await, before);
    place.assert_consistent().await;
}

async fn a_repeat_after_a_day_is_acknowledged_and_changes_nothing(backend: Backend) {
    const A_DAY_AND_AN_HOUR: i64 = 25 * 60 * 60;
    let place = Place::new(backend).await;
    let shop = place.open_with(&[FAST]).await;
    let paid = paid_orders(&place, &shop).await;
    shop.close().await;
    let later = format!("--clock-offset-seconds={A_DAY_AND_AN_HOUR}");
    let shop = place.open_with(&[FAST, &later]).await;
    tell_again(&shop, &Provider::of(&place).ahead(A_DAY_AND_AN_HOUR), &paid).await;
    for (_, order_no, ..) in &paid {
        assert_eq!(place.status_of(order_no).await, "PAID");
        place.assert_paid_once(order_no).await;
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM surplus").await, 0);
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

/// The record and Redis forget; the money's own entry does not.
async fn a_fact_counts_once_although_its_record_has_gone(backend: Backend) {
    let mut place = Place::new(backend).await;
    place.redis_url = None;
    let shop = place.open_with(&[FAST]).await;
    let paid = paid_orders(&place, &shop).await;
    for _ in 0..2 {
        place
            .execute("DELETE FROM idempotent_record WHERE biz_type = 'channel.fact'")
            .await;
        tell_again(&shop, &Provider::of(&place), &paid).await;
    }
    for (_, order_no, ..) in &paid {
        place.assert_paid_once(order_no).await;
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM surplus").await, 0);
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}
