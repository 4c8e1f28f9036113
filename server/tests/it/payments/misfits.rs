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

on_both_databases!(what_is_verified_but_does_not_fit_is_one_anomaly_and_pays_nothing);

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
