//! Notifications in every order but the expected one: before the order can be seen, for an order that never comes, late, backward,
//! or about two orders at once.

use crate::{
    duplicates::wait_until,
    support::{
        client::{Client, one_pencil},
        on_both_databases,
        payment::{PENCIL_FEN, Provider, assert_acknowledged, assert_not_now},
        shop::{Backend, Place},
    },
};
use futures::future::join_all;
use server::{channels::ChannelId, sandbox::sign::Kind};

on_both_databases!(
    a_success_that_overtakes_its_order_pays_it_without_another_callback,
    a_success_for_an_order_that_never_comes_is_parked_then_left_to_a_person,
    a_late_failure_or_closing_never_undoes_a_payment,
    failures_do_not_keep_a_later_success_out,
    what_ends_nothing_changes_nothing,
    one_transaction_for_two_orders_pays_the_first_and_is_an_anomaly_for_the_second,
    one_transaction_for_two_orders_is_an_anomaly_although_its_record_has_gone,
);

/// The order is put out of sight and back, as one whose commit comes later than its payment.
async fn a_success_that_overtakes_its_order_pays_it_without_another_callback(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    let mut orders = Vec::new();
    for channel in ChannelId::ALL {
        orders.push((channel, client.demo_pencil(&format!("overtaken-{channel}")).await));
    }
    place.wait_until_relayed().await;
    place
        .execute("UPDATE orders SET order_no = 'hidden ' || order_no")
        .await;
    for (channel, order_no) in &orders {
        let what = provider.paid(&format!("{order_no}-X1"), &format!("T-{order_no}"), PENCIL_FEN);
        let replies = join_all((0..3).map(|_| provider.send(&shop.url, *channel, &what))).await;
        for reply in &replies {
            assert_not_now(*channel, reply);
        }
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM parked_notification").await, 3);
    place.execute("UPDATE orders SET order_no = substr(order_no, 8)").await;
    for (_, order_no) in &orders {
        client.demo_wait_status(order_no, "PAID").await;
        place.assert_paid_once(order_no).await;
    }
    place
        .wait_number("SELECT COUNT(*) FROM parked_notification WHERE status = 'waiting'", 0)
        .await;
    // The provider's own repetition comes all the same.
    for (channel, order_no) in &orders {
        let what = provider.paid(&format!("{order_no}-X1"), &format!("T-{order_no}"), PENCIL_FEN);
        assert_acknowledged(*channel, &provider.send(&shop.url, *channel, &what).await);
        place.assert_paid_once(order_no).await;
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM anomaly").await, 0);
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

/// The real thing, which PostgreSQL alone can do: the order's transaction is open, and its number is known.
#[tokio::test(flavor = "multi_thread")]
async fn a_success_during_its_orders_transaction_pays_it_whichever_server_hears_it() {
    let place = Place::new(Backend::PostgresAndRedis).await;
    let hold = place.directory().join("hold");
    let servers = [
        place
            .open_with(&[&format!("--fault=after_fence:hold:{}", hold.display())])
            .await,
        place.open().await,
    ];
    // The fence is the transaction's first statement and carries the answer. What a session calls itself is seen at once, committed
    // or not.
    place
        .execute(
            "CREATE FUNCTION tell_number() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 PERFORM set_config('application_name',
                     substring(convert_from(NEW.answer_body, 'UTF8') FROM 'OM-....-....-....'), true);
                 RETURN NEW;
             END $$",
        )
        .await;
    place
        .execute(
            "CREATE TRIGGER tell_number BEFORE UPDATE ON idempotent_record FOR EACH ROW
             WHEN (NEW.biz_key LIKE '%held-%') EXECUTE FUNCTION tell_number()",
        )
        .await;
    let (client, provider) = (Client::new(&servers[0].url), Provider::of(&place));
    for (hearer, key) in [(0, "held-0"), (1, "held-1")] {
        let placing = tokio::spawn({
            let client = client.clone();
            async move { client.place_as_demo(key, &one_pencil()).await }
        });
        wait_until(|| hold.exists()).await;
        let order_no = place
            .text(
                "SELECT application_name FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name LIKE 'OM-%'",
            )
            .await;
        let what = provider.paid(&format!("{order_no}-W1"), &format!("T-{key}"), PENCIL_FEN);
        let early = provider.send(&servers[hearer].url, ChannelId::Wechat, &what).await;
        assert_not_now(ChannelId::Wechat, &early);
        std::fs::remove_file(&hold).unwrap();
        assert_eq!(placing.await.unwrap().order_no(), order_no);
        // Letting the money count is a transaction with a fence too, and either server's sweep may be the one that begins it.
        let paid = client.demo_wait_status(&order_no, "PAID");
        tokio::pin!(paid);
        loop {
            tokio::select! {
                _ = &mut paid => break,
                () = wait_until(|| hold.exists()) => std::fs::remove_file(&hold).unwrap(),
            }
        }
        place.assert_paid_once(&order_no).await;
    }
}

async fn a_success_for_an_order_that_never_comes_is_parked_then_left_to_a_person(backend: Backend) {
    const PATIENCE_AND_A_MINUTE: i64 = 31 * 60;
    let place = Place::new(backend).await;
    let mut shop = place.open().await;
    let provider = Provider::of(&place);
    let mut told = Vec::new();
    for channel in ChannelId::ALL {
        for number in ["NOPE-1", "OM-0000-0000-0001-W1", "键\u{1f389}"] {
            let what = provider.paid(number, &format!("T-{channel}-{number}"), PENCIL_FEN);
            for _ in 0..10 {
                assert_not_now(channel, &provider.send(&shop.url, channel, &what).await);
            }
            for reply in join_all((0..10).map(|_| provider.send(&shop.url, channel, &what))).await {
                assert_not_now(channel, &reply);
            }
            told.push((channel, what));
        }
    }
    assert_eq!(
        place
            .number("SELECT COUNT(*) FROM parked_notification WHERE times = 20")
            .await,
        9
    );
    assert_eq!(place.number("SELECT COUNT(*) FROM parked_notification").await, 9);
    assert_eq!(place.number("SELECT COUNT(*) FROM anomaly").await, 0);
    shop.close().await;
    let later = format!("--clock-offset-seconds={PATIENCE_AND_A_MINUTE}");
    shop = place.open_with(&[&later]).await;
    let provider = provider.ahead(PATIENCE_AND_A_MINUTE);
    for (channel, what) in &told {
        for _ in 0..3 {
            assert_acknowledged(*channel, &provider.send(&shop.url, *channel, what).await);
        }
    }
    let one_each = "SELECT COUNT(*) FROM anomaly WHERE kind = 'unknown_order' AND times = 3 AND amount_fen = 3";
    assert_eq!(place.number(one_each).await, 9);
    assert_eq!(place.number("SELECT COUNT(*) FROM anomaly").await, 9);
    assert_eq!(place.orders().await, 0);
    assert_eq!(place.number("SELECT COUNT(*) FROM idempotent_record").await, 0);
    assert_eq!(place.number("SELECT COUNT(*) FROM payment").await, 0);
}

async fn a_late_failure_or_closing_never_undoes_a_payment(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    let stock = "SELECT available FROM product WHERE sku = 'SKU-1'";
    let before = place.number(stock).await;
    let orders = [
        [Kind::Paid, Kind::Failed, Kind::Closed],
        [Kind::Paid, Kind::Closed, Kind::Failed],
        [Kind::Failed, Kind::Paid, Kind::Closed],
        [Kind::Closed, Kind::Paid, Kind::Failed],
        [Kind::Failed, Kind::Closed, Kind::Paid],
        [Kind::Closed, Kind::Failed, Kind::Paid],
    ];
    let mut placed = 0;
    for channel in ChannelId::ALL {
        for kinds in orders {
            // The other two are about the same attempt to pay, or about an earlier one by another channel.
            for of_another_attempt in [false, true] {
                placed += 1;
                let order_no = client.demo_pencil(&format!("late-{placed}")).await;
                let other = ChannelId::ALL.into_iter().find(|other| *other != channel).unwrap();
                let (ended_by, ended) = if of_another_attempt {
                    (other, client.demo_pay(&order_no, other).await)
                } else {
                    (channel, String::new())
                };
                let payment_no = client.demo_pay(&order_no, channel).await;
                for kind in kinds {
                    let (channel, what) = match kind {
                        Kind::Paid => (
                            channel,
                            provider.paid(&payment_no, &format!("T-{order_no}"), PENCIL_FEN),
                        ),
                        _ if of_another_attempt => (ended_by, provider.news(kind, &ended, PENCIL_FEN)),
                        _ => (channel, provider.news(kind, &payment_no, PENCIL_FEN)),
                    };
                    assert_acknowledged(channel, &provider.send(&shop.url, channel, &what).await);
                }
                assert_eq!(place.status_of(&order_no).await, "PAID", "{channel} {kinds:?}");
                place.assert_paid_once(&order_no).await;
            }
        }
    }
    place.wait_until_relayed().await;
    assert_eq!(
        place.number(stock).await,
        before - placed,
        "nothing went back into the stock"
    );
    assert_eq!(place.number("SELECT COUNT(*) FROM anomaly").await, 0);
    place.assert_consistent().await;
}

async fn failures_do_not_keep_a_later_success_out(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    for channel in ChannelId::ALL {
        let (order_no, first) = client.demo_waiting(&format!("fails-{channel}"), channel).await;
        let failed = provider.news(Kind::Failed, &first, PENCIL_FEN);
        for _ in 0..2 {
            assert_acknowledged(channel, &provider.send(&shop.url, channel, &failed).await);
        }
        assert_eq!(place.status_of(&order_no).await, "WAIT_PAY");
        let second = client.demo_pay(&order_no, channel).await;
        assert_ne!(first, second, "{channel}: what has failed is begun anew");
        let failed = provider.news(Kind::Failed, &second, PENCIL_FEN);
        assert_acknowledged(channel, &provider.send(&shop.url, channel, &failed).await);
        let what = provider.paid(&second, &format!("T-{order_no}"), PENCIL_FEN);
        assert_acknowledged(channel, &provider.send(&shop.url, channel, &what).await);
        assert_eq!(place.status_of(&order_no).await, "PAID");
        place.assert_paid_once(&order_no).await;
    }
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

async fn what_ends_nothing_changes_nothing(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    for channel in ChannelId::ALL {
        let (order_no, payment_no) = client.demo_waiting(&format!("pending-{channel}"), channel).await;
        let pending = provider.news(Kind::Pending, &payment_no, PENCIL_FEN);
        let what = provider.paid(&payment_no, &format!("T-{order_no}"), PENCIL_FEN);
        for (what, status) in [
            (&pending, "WAIT_PAY"),
            (&what, "PAID"),
            (&pending, "PAID"),
            (&pending, "PAID"),
        ] {
            assert_acknowledged(channel, &provider.send(&shop.url, channel, what).await);
            assert_eq!(place.status_of(&order_no).await, status, "{channel}");
        }
        place.assert_paid_once(&order_no).await;
        let events = "SELECT COUNT(*) FROM order_event WHERE order_no = $1";
        assert_eq!(place.number_of(events, &order_no).await, 2, "{channel}");
    }
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

async fn one_transaction_for_two_orders_pays_the_first_and_is_an_anomaly_for_the_second(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    for channel in ChannelId::ALL {
        let (first, of_first) = client.demo_waiting(&format!("first-{channel}"), channel).await;
        let (second, of_second) = client.demo_waiting(&format!("second-{channel}"), channel).await;
        let paid = provider.paid(&of_first, &format!("T-{first}"), PENCIL_FEN);
        assert_acknowledged(channel, &provider.send(&shop.url, channel, &paid).await);
        let crossed = provider.paid(&of_second, &format!("T-{first}"), PENCIL_FEN);
        for reply in join_all((0..20).map(|_| provider.send(&shop.url, channel, &crossed))).await {
            assert_acknowledged(channel, &reply);
        }
        let anomalies = "SELECT COUNT(*) FROM anomaly WHERE kind = 'key_reused' AND times = 20 AND order_no = $1";
        assert_eq!(place.number_of(anomalies, &second).await, 1, "{channel}");
        assert_eq!(place.status_of(&second).await, "WAIT_PAY");
        place.assert_paid_once(&first).await;
        let own = provider.paid(&of_second, &format!("T-{second}"), PENCIL_FEN);
        assert_acknowledged(channel, &provider.send(&shop.url, channel, &own).await);
        place.assert_paid_once(&second).await;
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM anomaly").await, 3);
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

async fn one_transaction_for_two_orders_is_an_anomaly_although_its_record_has_gone(backend: Backend) {
    let mut place = Place::new(backend).await;
    place.redis_url = None;
    let shop = place.open().await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    let (first, of_first) = client.demo_waiting("first", ChannelId::Wechat).await;
    let (second, of_second) = client.demo_waiting("second", ChannelId::Wechat).await;
    let paid = provider.paid(&of_first, "T-1", PENCIL_FEN);
    let crossed = provider.paid(&of_second, "T-1", PENCIL_FEN);
    for (what, anomalies) in [(&paid, 0), (&crossed, 1), (&crossed, 1), (&paid, 1)] {
        place
            .execute("DELETE FROM idempotent_record WHERE biz_type = 'channel.fact'")
            .await;
        let reply = provider.send(&shop.url, ChannelId::Wechat, what).await;
        assert_acknowledged(ChannelId::Wechat, &reply);
        assert_eq!(place.number("SELECT COUNT(*) FROM anomaly").await, anomalies);
    }
    let kept = "SELECT COUNT(*) FROM anomaly WHERE kind = 'key_reused' AND times = 2 AND order_no = $1";
    assert_eq!(place.number_of(kept, &second).await, 1);
    assert_eq!(place.status_of(&second).await, "WAIT_PAY");
    place.assert_paid_once(&first).await;
}
