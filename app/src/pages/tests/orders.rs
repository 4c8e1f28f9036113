//! The order's page: each state offers what can be done in it and nothing else.

use super::{HOSTILE, attribute, render, samples::orders, tags, unescaped};
use crate::{
    pages::data::{Language, OrderPage, Page},
    texts::Texts,
};

fn state(name: &str, typed: &str) -> OrderPage {
    let found = orders::all(typed).into_iter().find(|(candidate, _)| candidate == name);
    found.unwrap_or_else(|| panic!("no state {name}")).1
}

fn html(page: OrderPage) -> String {
    render(Language::English, Page::Order(Box::new(page)))
}

fn has_id(html: &str, id: &str) -> bool {
    tags(html).any(|tag| attribute(tag, "id") == Some(id))
}

/// The last parts of the addresses that the forms of an order's page post to.
fn steps(html: &str) -> Vec<&str> {
    let forms = tags(html).filter(|tag| tag.starts_with("form"));
    forms
        .filter_map(|form| {
            let step = attribute(form, "action")?.strip_prefix("/orders/7K3M9QXT2VHD/")?;
            assert_eq!(attribute(form, "method"), Some("post"), "{form}");
            Some(step)
        })
        .collect()
}

#[test]
fn each_state_offers_what_can_be_done_in_it_and_nothing_else() {
    let expected: [(&str, &[&str]); 15] = [
        ("order-WAIT_PAY", &["payments", "cancel"]),
        ("order-WAIT_PAY-failed", &["payments", "cancel"]),
        ("order-WAIT_PAY-none", &["cancel"]),
        ("order-WAIT_PAY-qr", &["payments", "cancel"]),
        ("order-WAIT_PAY-redirect", &["payments", "cancel"]),
        ("order-PAID", &["refunds"]),
        ("order-PAID-free", &[]),
        ("order-PAID-twice", &["refunds"]),
        ("order-SHIPPED", &["receipt", "refunds"]),
        ("order-COMPLETED", &["refunds"]),
        ("order-CLOSED-cancelled", &[]),
        ("order-CLOSED-deadline", &[]),
        ("order-CLOSED-late", &[]),
        ("order-REFUNDING", &[]),
        ("order-REFUNDED", &[]),
    ];
    for (name, offered) in expected {
        assert_eq!(steps(&html(state(name, "typed"))), offered, "{name}");
    }
}

#[test]
fn an_order_that_is_not_to_be_paid_shows_no_way_to_pay_whatever_the_data_says() {
    for status in ["PAID", "CLOSED", "REFUNDING", "REFUNDED"] {
        let mut page = state("order-WAIT_PAY-qr", "typed");
        page.order.order.status = status.to_owned();
        let html = html(page);
        for id in ["pay-form", "open-payment", "payment-qr", "pay-before"] {
            assert!(!has_id(&html, id), "{status}: {id}");
        }
    }
}

#[test]
fn a_button_names_each_channel_but_the_one_that_is_open() {
    let buttons = |name| {
        let html = html(state(name, "typed"));
        let buttons = tags(&html).filter(|tag| attribute(tag, "name") == Some("channel"));
        buttons
            .map(|button| attribute(button, "value").unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(buttons("order-WAIT_PAY"), ["wechat", "alipay", "webhook"]);
    assert_eq!(buttons("order-WAIT_PAY-qr"), ["alipay", "webhook"]);
    assert_eq!(buttons("order-WAIT_PAY-redirect"), ["wechat", "webhook"]);
}

#[test]
fn an_open_payment_is_scanned_or_gone_to() {
    let scanned = html(state("order-WAIT_PAY-qr", "typed"));
    let image = tags(&scanned)
        .find(|tag| attribute(tag, "id") == Some("payment-qr"))
        .unwrap();
    assert!(
        attribute(image, "src").unwrap().starts_with("data:image/svg+xml"),
        "{image}"
    );
    assert_eq!(
        attribute(image, "alt"),
        Some("QR code: scan it with WeChat Pay to pay ¥63.80.")
    );
    assert!(has_id(&scanned, "pay-here") && has_id(&scanned, "look-again"));
    let gone_to = html(state("order-WAIT_PAY-redirect", "typed"));
    let link = tags(&gone_to)
        .find(|tag| attribute(tag, "id") == Some("continue-payment"))
        .unwrap();
    assert_eq!(
        attribute(link, "href").map(unescaped).as_deref(),
        Some("https://pay.example/?a=1&b=2")
    );
    assert!(!has_id(&gone_to, "payment-qr"));
}

#[test]
fn what_a_channel_sends_becomes_no_link_unless_it_leads_to_the_web() {
    for typed in HOSTILE {
        for name in ["order-WAIT_PAY-qr-text", "order-WAIT_PAY-redirect-typed"] {
            let html = html(state(name, typed));
            for link in tags(&html).filter_map(|tag| attribute(tag, "href")) {
                assert!(link.starts_with(['/', '#']), "{name} with {typed}: {link}");
            }
        }
    }
}

#[test]
fn a_closed_order_says_why_and_what_becomes_of_money_that_came_late() {
    let cases = [
        ("order-CLOSED-cancelled", "You cancelled this order."),
        ("order-CLOSED-deadline", "it was not paid in time."),
        ("order-CLOSED-late", "You cancelled this order."),
        ("order-CLOSED-late", "It is being refunded"),
        ("order-CLOSED-late-refunded", "it was not paid in time."),
        ("order-CLOSED-late-refunded", "It has been refunded"),
        ("order-PAID-twice", "was paid already. It is being refunded"),
    ];
    for (name, said) in cases {
        assert!(html(state(name, "typed")).contains(said), "{name}: {said}");
    }
}

#[test]
fn the_refund_comes_back_as_it_was_typed_and_open() {
    let input = |html: &str, name: &str| {
        let tag = tags(html).find(|tag| attribute(tag, "name") == Some(name)).unwrap();
        (
            attribute(tag, "value").map(unescaped),
            attribute(tag, "aria-invalid").map(str::to_owned),
        )
    };
    let is_open = |html: &str| {
        let details = tags(html).find(|tag| attribute(tag, "id") == Some("refund")).unwrap();
        details.contains(" open ")
    };
    for typed in HOSTILE {
        let html = html(state("order-notice-refund-amount-invalid", typed));
        let typed = Some((*typed).to_owned());
        assert_eq!(input(&html, "amount"), (typed.clone(), Some("true".to_owned())));
        assert_eq!(input(&html, "reason"), (typed, None));
        assert!(is_open(&html), "{html}");
        assert!(html.contains("href=\"#refund-amount\""));
    }
    let fresh = html(state("order-PAID", "typed"));
    assert_eq!(input(&fresh, "amount").0.as_deref(), Some("50.00"));
    assert_eq!(input(&fresh, "reason").0.as_deref(), Some(""));
    assert_eq!(input(&fresh, "refund_no").0.as_deref(), Some("01JEXAMPLE"));
    assert!(!is_open(&fresh));
}

#[test]
fn a_press_without_effect_says_so_first() {
    for notice in orders::NOTICES {
        let html = html(state(&format!("order-notice-{}", notice.as_str()), "typed"));
        assert!(html.contains("<title>Error: "), "{notice:?}");
        assert!(
            html.contains(&format!("data-notice=\"{}\"", notice.as_str())),
            "{notice:?}"
        );
        let region = tags(&html)
            .find(|tag| attribute(tag, "id") == Some("order-messages"))
            .unwrap();
        assert_eq!(attribute(region, "role"), Some("alert"));
        assert!(region.contains("autofocus"), "{region}");
    }
    let quiet = html(state("order-PAID", "typed"));
    let region = tags(&quiet)
        .find(|tag| attribute(tag, "id") == Some("order-messages"))
        .unwrap();
    assert!(!region.contains("autofocus"), "{region}");
}

/// The browser's code looks for a part by its name in a newer page, which may be in any other state.
#[test]
fn every_state_has_the_same_live_parts() {
    let parts = |page| {
        let html = html(page);
        let names = tags(&html).filter_map(|tag| attribute(tag, "data-live"));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = parts(state("order-WAIT_PAY", "typed"));
    assert_eq!(expected.len(), 10, "{expected:?}");
    for (name, page) in orders::all("typed") {
        assert_eq!(parts(page), expected, "{name}");
    }
}

#[test]
fn one_badge_shows_where_the_order_stands() {
    for (name, page) in orders::all("typed") {
        let status = page.order.order.status.clone();
        let html = html(page);
        let badges: Vec<_> = tags(&html).filter_map(|tag| attribute(tag, "data-status")).collect();
        assert_eq!(badges, [status], "{name}");
    }
}

/// What is missing here would show under the shop's internal name, in both languages.
#[test]
fn everything_that_can_happen_has_a_text() {
    let named = |kind: &'static str, names: &[&str]| {
        let ids = names.iter().map(|name| format!("{kind}-{name}"));
        ids.collect::<Vec<_>>()
    };
    let ids = [
        named("event", &orders::EVENTS),
        named("source", &orders::SOURCES),
        named("channel", &orders::CHANNELS),
        named("refund-status", &["ASKED", "SUCCEEDED", "REFUSED"]),
        named(
            "order-lead",
            &[
                "WAIT_PAY",
                "PAID",
                "PAID.nothing-to-pay",
                "SHIPPED",
                "COMPLETED",
                "CLOSED",
                "CLOSED.cancelled",
                "CLOSED.deadline-passed",
                "REFUNDING",
                "REFUNDED",
            ],
        ),
    ];
    for language in [Language::English, Language::Chinese] {
        let texts = Texts::of(language);
        for id in ids.iter().flatten() {
            assert!(texts.find(id).is_some(), "{id} in {language:?}");
        }
    }
}
