//! What is verified and does not fit (another amount, currency, merchant or application) pays nothing, is acknowledged, and becomes
//! one anomaly for a person to resolve. It keeps no genuine notification out.

use crate::support::{
    client::Client,
    on_both_databases,
    payment::{PENCIL_FEN, Provider, assert_acknowledged},
    shop::{Backend, Place},
};
use futures::future::join_all;
use serde_json::Value;
use server::{channels::ChannelId, sandbox::sign::Tamper};

on_both_databases!(
    what_is_verified_but_does_not_fit_is_one_anomaly_and_pays_nothing,
    only_the_exact_amount_in_the_exact_currency_pays,
);

async fn what_is_verified_but_does_not_fit_is_one_anomaly_and_pays_nothing(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    for channel in ChannelId::ALL {
        for (tamper, kind) in [
            (Tamper::Amount, "wrong_amount"),
            (Tamper::Currency, "wrong_currency"),
            (Tamper::Merchant, "wrong_merchant"),
            (Tamper::App, "wrong_merchant"),
        ] {
            let (order_no, payment_no) = client.demo_waiting(&format!("{channel}-{tamper:?}"), channel).await;
            let what = provider.paid(&payment_no, &format!("T-{order_no}"), PENCIL_FEN);
            let mut replies = Vec::new();
            for _ in 0..3 {
                replies.push(provider.send_tampered(&shop.url, channel, &what, tamper).await);
            }
            let again = (0..20).map(|_| provider.send_tampered(&shop.url, channel, &what, tamper));
            replies.extend(join_all(again).await);
            for reply in &replies {
                assert_acknowledged(channel, reply);
            }
            let anomaly = anomaly_of(&place, &order_no);
            assert_eq!(
                (&anomaly["kind"], &anomaly["times"], &anomaly["channel"]),
                (&kind.into(), &23.into(), &channel.as_str().into()),
                "{anomaly:#}"
            );
            assert_eq!(place.status_of(&order_no).await, "WAIT_PAY");
            let claims =
                "SELECT COUNT(*) FROM idempotent_record WHERE biz_type = 'channel.fact' AND biz_key LIKE '%' || $1";
            assert_eq!(
                place.number_of(claims, &what.transaction_id).await,
                0,
                "it claims no key"
            );
            assert_acknowledged(channel, &provider.send(&shop.url, channel, &what).await);
            assert_eq!(place.number_of(claims, &what.transaction_id).await, 1);
            place.assert_paid_once(&order_no).await;
            assert_resolvable(&place, &anomaly);
        }
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM anomaly").await, 12);
    assert_eq!(anomalies(&place, &["list", "--json"]), "", "every one is resolved");
    assert_eq!(anomalies(&place, &["list", "--all", "--json"]).lines().count(), 12);
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}

fn anomalies(place: &Place, arguments: &[&str]) -> String {
    let output = place.run(&[&["anomalies"], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The one open anomaly of an order.
fn anomaly_of(place: &Place, order_no: &str) -> Value {
    let listed = anomalies(place, &["list", "--json"]);
    let listed = listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let found: Vec<Value> = listed.filter(|anomaly| anomaly["order_no"] == order_no).collect();
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0].clone()
}

fn assert_resolvable(place: &Place, anomaly: &Value) {
    let id = anomaly["id"].as_str().unwrap();
    let shown: Value = serde_json::from_str(&anomalies(place, &["show", id])).unwrap();
    assert_eq!(&shown, anomaly);
    assert!(anomalies(place, &["list"]).contains(id));
    assert!(!place.run(&["anomalies", "resolve", id, "--note", " "]).status.success());
    anomalies(place, &["resolve", id, "--note", "given back by hand"]);
    let resolved: Value = serde_json::from_str(&anomalies(place, &["show", id])).unwrap();
    assert_eq!(
        (&resolved["status"], &resolved["resolution"]),
        (&"resolved".into(), &"given back by hand".into())
    );
    let twice = place.run(&["anomalies", "resolve", id, "--note", "again"]);
    assert!(!twice.status.success(), "it is resolved once");
}

/// Less and more by a little, scaled wrongly either way, or the right number of something else.
async fn only_the_exact_amount_in_the_exact_currency_pays(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let (client, provider) = (Client::new(&shop.url), Provider::of(&place));
    for channel in ChannelId::ALL {
        let (order_no, payment_no) = client.demo_waiting(&format!("exact-{channel}"), channel).await;
        let mut wrong = Vec::new();
        for amount_fen in [1, 2, 4, 30, 300, 30_000, i64::from(i32::MAX) + 4] {
            let number = format!("T-{amount_fen}-{order_no}");
            wrong.push((provider.paid(&payment_no, &number, amount_fen), "wrong_amount"));
        }
        // Alipay states a currency only where it is a foreign one.
        if channel != ChannelId::Alipay {
            for currency in ["JPY", "cny", ""] {
                let mut what = provider.paid(&payment_no, &format!("T-{currency}-{order_no}"), PENCIL_FEN);
                currency.clone_into(&mut what.currency);
                wrong.push((what, "wrong_currency"));
            }
        }
        for (what, _) in &wrong {
            assert_acknowledged(channel, &provider.send(&shop.url, channel, what).await);
        }
        for kind in ["wrong_amount", "wrong_currency"] {
            let kept = match kind {
                "wrong_amount" => "SELECT COUNT(*) FROM anomaly WHERE kind = 'wrong_amount' AND order_no = $1",
                _ => "SELECT COUNT(*) FROM anomaly WHERE kind = 'wrong_currency' AND order_no = $1",
            };
            let kept = place.number_of(kept, &order_no).await;
            let told = wrong.iter().filter(|(_, wrong)| *wrong == kind).count();
            assert_eq!(kept, i64::try_from(told).unwrap(), "{channel}, {kind}");
        }
        assert_eq!(place.status_of(&order_no).await, "WAIT_PAY");
        let exact = provider.paid(&payment_no, &format!("T-{order_no}"), PENCIL_FEN);
        assert_acknowledged(channel, &provider.send(&shop.url, channel, &exact).await);
        place.assert_paid_once(&order_no).await;
    }
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}
