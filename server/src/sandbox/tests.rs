//! The gateway over real HTTP, asked by the shop's own channels: create, pay, be told, ask, refund.

mod world;

use super::{behaviour::Misbehaviour, books::State, *};
use crate::channels::{ChannelError, ChannelId, Closing, Fact, NewPayment, NewRefund, PaymentState, RefundState};
use app::{pages::data::Language, texts::Texts};
use clap::ValueEnum as _;
use std::collections::BTreeSet;
use world::{browser, gateway_settings, world};

#[tokio::test]
async fn a_payment_is_asked_for_paid_told_and_found_over_every_protocol() {
    let world = world().await;
    for (index, id) in ChannelId::ALL.into_iter().enumerate() {
        let number = format!("OM-PAY-{id}");
        let cashier = world.cashier(id, &number).await;
        let again = world.cashier(id, &number).await;
        assert_eq!(cashier, again, "the same number is the same payment");
        let page = browser().get(&cashier).send().await.unwrap();
        let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
        let to_shop = policy.contains("form-action 'self' http://127.0.0.1:9;");
        assert_eq!(
            to_shop,
            id != ChannelId::Wechat,
            "the redirect after the form leaves the origin: {policy}"
        );
        assert!(page.text().await.unwrap().contains("¥199.00"));
        assert_eq!(world.channel(id).query(&number).await.unwrap(), PaymentState::Open);

        let led = world.press(&cashier, "pay", Misbehaviour::None).await;
        let expected = if id == ChannelId::Wechat {
            cashier.replace(&world.base, "/sandbox")
        } else {
            "http://127.0.0.1:9/orders/OM-1?x=1".to_owned()
        };
        assert_eq!(led, expected);
        world.press(&cashier, "pay", Misbehaviour::None).await;

        let callbacks = world.receiver.until(index + 1).await;
        let Fact::Paid(told) = world.fact(&callbacks[index]) else {
            panic!()
        };
        let PaymentState::Succeeded(found) = world.channel(id).query(&number).await.unwrap() else {
            panic!()
        };
        assert_eq!(told, found);
        assert_eq!((told.payment_no.as_str(), told.amount_fen), (number.as_str(), 19_900));
        assert_eq!(told.merchant, world.channel(id).merchant());
        assert_eq!(world.channel(id).close(&number).await.unwrap(), Closing::AlreadyPaid);
    }
    world.until_nothing_waits().await;
    assert_eq!(world.receiver.count(), 3, "pressed twice, paid once, told once");
}

#[tokio::test]
async fn a_payment_that_was_closed_cannot_be_paid_and_an_unknown_one_is_unknown() {
    let world = world().await;
    for id in ChannelId::ALL {
        let channel = world.channel(id);
        assert_eq!(channel.query("OM-NOBODY").await.unwrap(), PaymentState::Unknown, "{id}");
        assert_eq!(channel.close("OM-NOBODY").await.unwrap(), Closing::Closed, "{id}");
        let cashier = world.cashier(id, "OM-CLOSE").await;
        assert_eq!(channel.close("OM-CLOSE").await.unwrap(), Closing::Closed, "{id}");
        assert_eq!(channel.close("OM-CLOSE").await.unwrap(), Closing::Closed, "{id}");
        world.press(&cashier, "pay", Misbehaviour::None).await;
        assert_eq!(channel.query("OM-CLOSE").await.unwrap(), PaymentState::Closed, "{id}");
        world.press(&cashier, "pay-although-closed", Misbehaviour::None).await;
        assert!(
            matches!(channel.query("OM-CLOSE").await.unwrap(), PaymentState::Succeeded(_)),
            "{id}"
        );
    }
    world.receiver.until(3).await;
}

#[tokio::test]
async fn the_same_number_for_another_price_is_refused() {
    let world = world().await;
    for id in [ChannelId::Wechat, ChannelId::Webhook] {
        world.cashier(id, "OM-PRICE").await;
        let other = NewPayment {
            amount_fen: 1,
            ..world.new_payment("OM-PRICE")
        };
        let refused = world.channel(id).create(&other).await;
        assert!(matches!(refused, Err(ChannelError::Refused(_))), "{id}: {refused:?}");
    }
}

#[tokio::test]
async fn a_notification_is_repeated_until_the_exact_form_of_success() {
    let world = world().await;
    for (id, not_yet) in [
        (ChannelId::Wechat, (500, "")),
        (ChannelId::Alipay, (200, "SUCCESS")),
        (ChannelId::Webhook, (303, "")),
    ] {
        let before = world.receiver.count();
        world.receiver.answer(&[not_yet, not_yet]);
        let cashier = world.cashier(id, "OM-REPEAT").await;
        world.press(&cashier, "pay", Misbehaviour::None).await;
        let callbacks = world.receiver.until(before + 3).await;
        let facts: Vec<_> = callbacks[before..]
            .iter()
            .map(|callback| world.fact(callback))
            .collect();
        assert!(facts.windows(2).all(|pair| pair[0] == pair[1]), "{id}");
        world.until_nothing_waits().await;
        assert_eq!(world.receiver.count(), before + 3, "{id}");
    }
}

#[tokio::test]
async fn the_whole_schedule_is_sent_when_asked_for_and_when_nobody_acknowledges() {
    let world = world().await;
    let mut expected = 0;
    for (id, deliveries) in [
        (ChannelId::Wechat, 16),
        (ChannelId::Alipay, 8),
        (ChannelId::Webhook, 10),
    ] {
        expected += deliveries;
        let cashier = world.cashier(id, "OM-SCHEDULE").await;
        world.press(&cashier, "pay", Misbehaviour::FullSchedule).await;
        world.receiver.until(expected).await;
    }
    world.receiver.answer(&[(500, ""); 16]);
    let cashier = world.cashier(ChannelId::Wechat, "OM-GIVE-UP").await;
    world.press(&cashier, "pay", Misbehaviour::None).await;
    world.receiver.until(expected + 16).await;
    world.until_nothing_waits().await;
    assert_eq!(world.receiver.count(), expected + 16);
    let notices = world.gateway.store().notices(10).await.unwrap();
    let given_up = notices.iter().filter(|notice| notice.state == "given_up").count();
    assert_eq!((notices.len(), given_up), (4, 1));
}

#[tokio::test]
async fn misbehaviour_sends_what_its_name_says() {
    let world = world().await;
    let mut seen = 0;
    for (misbehaviour, sent) in [
        (Misbehaviour::LoseAnswer, 2),
        (Misbehaviour::TwiceAtOnce, 2),
        (Misbehaviour::OutOfOrder, 3),
        (Misbehaviour::Late, 1),
        (Misbehaviour::Silent, 0),
    ] {
        let cashier = world.cashier(ChannelId::Webhook, &format!("OM-{misbehaviour:?}")).await;
        world.press(&cashier, "pay", misbehaviour).await;
        seen += sent;
        world.receiver.until(seen).await;
        world.until_nothing_waits().await;
        assert_eq!(world.receiver.count(), seen, "{misbehaviour:?}");
    }
    let cashier = world.cashier(ChannelId::Webhook, "OM-AGAIN").await;
    world.press(&cashier, "pay", Misbehaviour::None).await;
    world.press(&cashier, "pay-again", Misbehaviour::None).await;
    world.press(&cashier, "pay-again", Misbehaviour::None).await;
    let callbacks = world.receiver.until(seen + 2).await;
    let numbers: BTreeSet<_> = callbacks[seen..]
        .iter()
        .map(|callback| match world.fact(callback) {
            Fact::Paid(fact) => fact.transaction_id,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(numbers.len(), 2, "one page pays a second time once");
}

#[tokio::test]
async fn refunds_happen_once_for_each_number_and_never_exceed_the_money() {
    let world = world().await;
    for id in ChannelId::ALL {
        let channel = world.channel(id);
        let cashier = world.cashier(id, "OM-REFUND").await;
        world.press(&cashier, "pay", Misbehaviour::None).await;
        let PaymentState::Succeeded(paid) = channel.query("OM-REFUND").await.unwrap() else {
            panic!()
        };
        let refund = |number: &str, amount_fen| NewRefund {
            refund_no: format!("R-{id}-{number}"),
            payment_no: "OM-REFUND".to_owned(),
            transaction_id: paid.transaction_id.clone(),
            amount_fen,
            paid_fen: paid.amount_fen,
            reason: "不想要了".to_owned(),
        };
        assert_eq!(
            channel.query_refund("R-NONE", "OM-REFUND").await.unwrap(),
            RefundState::Unknown,
            "{id}"
        );
        let first = channel.refund(&refund("1", 10_000)).await.unwrap();
        assert!(
            matches!(first, RefundState::Processing | RefundState::Succeeded),
            "{id}: {first:?}"
        );
        world.until_refund_ends(id, &format!("R-{id}-1"), "OM-REFUND").await;
        channel.refund(&refund("1", 10_000)).await.unwrap();
        let found = channel.query_refund(&format!("R-{id}-1"), "OM-REFUND").await.unwrap();
        assert_eq!(found, RefundState::Succeeded, "{id}");
        let too_much = channel.refund(&refund("2", 9_901)).await;
        assert!(
            matches!(too_much, Err(ChannelError::Refused(_)) | Ok(RefundState::Refused(_))),
            "{id}: {too_much:?}"
        );
        channel.refund(&refund("3", 9_900)).await.unwrap();
        let state = channel.query("OM-REFUND").await.unwrap();
        assert!(
            matches!(state, PaymentState::Succeeded(_)),
            "{id}: it was paid once: {state:?}"
        );
    }
    let callbacks = world.receiver.until(9).await;
    let told = callbacks.iter().map(|callback| world.fact(callback));
    let refunds = told.filter(|fact| matches!(fact, Fact::Refunded { .. })).count();
    assert_eq!(
        refunds, 5,
        "two each, of which Alipay tells the first as a success with refund fields"
    );
}

#[tokio::test]
async fn refunds_are_refused_or_fail_later_when_that_was_chosen() {
    let world = world().await;
    for id in ChannelId::ALL {
        for misbehaviour in [Misbehaviour::RefuseRefunds, Misbehaviour::FailRefunds] {
            let channel = world.channel(id);
            let number = format!("OM-{misbehaviour:?}");
            let cashier = world.cashier(id, &number).await;
            world.press(&cashier, "pay", misbehaviour).await;
            let PaymentState::Succeeded(paid) = channel.query(&number).await.unwrap() else {
                panic!()
            };
            let refund = NewRefund {
                refund_no: format!("R-{id}-{misbehaviour:?}"),
                payment_no: number.clone(),
                transaction_id: paid.transaction_id,
                amount_fen: 100,
                paid_fen: paid.amount_fen,
                reason: String::new(),
            };
            let asked = channel.refund(&refund).await;
            if misbehaviour == Misbehaviour::FailRefunds && id != ChannelId::Alipay {
                let found = world.until_refund_ends(id, &refund.refund_no, &number).await;
                assert!(matches!(found, RefundState::Refused(_)), "{id}: {found:?}");
            } else {
                assert!(
                    matches!(asked, Err(ChannelError::Refused(_)) | Ok(RefundState::Refused(_))),
                    "{id}: {asked:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn nobody_without_the_merchants_signature_is_answered() {
    let world = world().await;
    let url = |path: &str| format!("{}{path}", world.base);
    let posted = async |path: &str, body: &'static str| {
        let answer = browser().post(url(path)).body(body).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let (status, body) = posted("/wechat/v3/pay/transactions/native", "{}").await;
    assert!(status == 401 && body.contains("SIGN_ERROR"), "{status} {body}");
    let (status, _) = posted("/webhook/payments", "{}").await;
    assert_eq!(status, 401);
    let (_, body) = posted("/alipay/gateway.do", "method=alipay.trade.query&app_id=1&sign=x").await;
    assert!(body.contains("isv.invalid-signature"), "{body}");
    let page = browser()
        .get(url("/alipay/gateway.do?method=alipay.trade.page.pay"))
        .send()
        .await
        .unwrap();
    assert_eq!(page.status(), 400);
    assert_eq!(world.gateway.store().payments(10).await.unwrap().len(), 0);
}

#[tokio::test]
async fn a_restart_goes_on_where_the_schedule_stood() {
    let world = world().await;
    world.stop.cancel();
    let cashier = world.cashier(ChannelId::Webhook, "OM-RESTART").await;
    world.press(&cashier, "pay", Misbehaviour::None).await;
    assert_eq!(world.notice_state().await, "waiting");
    world.gateway.close().await;

    let again = Gateway::open(world.directory.path(), gateway_settings()).await.unwrap();
    let payment = again
        .store()
        .payment(ChannelId::Webhook, "OM-RESTART")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(payment.state, State::Paid);
    let stop = CancellationToken::new();
    let sender = (again.clone(), stop.clone());
    let sending = tokio::spawn(async move { sender.0.run(sender.1).await });
    world.receiver.until(1).await;
    stop.cancel();
    sending.await.unwrap();
    assert_eq!(again.store().notices(1).await.unwrap()[0].state, "acknowledged");
}

#[tokio::test]
async fn the_overview_shows_what_came_in_and_went_out_and_sends_at_once() {
    let world = world().await;
    world.stop.cancel();
    let cashier = world.cashier(ChannelId::Alipay, "OM-OVERVIEW").await;
    world.press(&cashier, "pay", Misbehaviour::None).await;
    let overview = browser().get(&world.base).send().await.unwrap().text().await.unwrap();
    for shown in ["OM-OVERVIEW", "GET alipay.trade.page.pay", "/send-now", "Send now"] {
        assert!(overview.contains(shown), "{shown} is not in {overview}");
    }
    let missing = browser()
        .get(format!("{}/pay/nothing", world.base))
        .send()
        .await
        .unwrap();
    assert_eq!(missing.status(), 404);
}

#[test]
fn every_misbehaviour_and_state_has_a_text() {
    for language in [Language::English, Language::Chinese] {
        let texts = Texts::of(language);
        for misbehaviour in Misbehaviour::value_variants() {
            let id = format!("sandbox-misbehaviour-{}", sign::name_of(misbehaviour));
            assert!(texts.find(&id).is_some(), "{id}");
        }
        for state in [State::Open, State::Paid, State::Closed, State::Failed] {
            assert!(texts.find(&format!("sandbox-state-{}", state.as_str())).is_some());
        }
    }
}
