//! The sandbox gateway's pages in every state.

use crate::pages::data::{
    Page,
    sandbox::{Cashier, Notice, Overview, Payment, Refusal, Traffic},
};

const CHANNELS: [&str; 3] = ["wechat", "alipay", "webhook"];

const STATES: [&str; 4] = ["open", "paid", "closed", "failed"];

/// Every misbehaviour that the gateway offers.
const MISBEHAVIOURS: [&str; 15] = [
    "none",
    "lose-answer",
    "twice-at-once",
    "out-of-order",
    "late",
    "wrong-amount",
    "wrong-currency",
    "wrong-merchant",
    "bad-signature",
    "old-timestamp",
    "probe",
    "full-schedule",
    "silent",
    "refuse-refunds",
    "fail-refunds",
];

/// Every page with a name for each.
pub fn all(typed: &str) -> Vec<(String, Page)> {
    let mut pages = vec![
        (
            "sandbox-overview".to_owned(),
            Page::SandboxOverview(Box::new(overview(typed))),
        ),
        (
            "sandbox-overview-empty".to_owned(),
            Page::SandboxOverview(Box::new(Overview {
                base: String::new(),
                payments: Vec::new(),
                notices: Vec::new(),
                traffic: Vec::new(),
            })),
        ),
        (
            "sandbox-refused".to_owned(),
            Page::SandboxRefusal(Refusal {
                base: "/sandbox".to_owned(),
                code: typed.to_owned(),
            }),
        ),
    ];
    for channel in CHANNELS {
        for state in STATES {
            let page = Page::SandboxCashier(Box::new(cashier(typed, channel, state)));
            pages.push((format!("sandbox-cashier-{channel}-{state}"), page));
        }
    }
    pages
}

fn cashier(typed: &str, channel: &str, state: &str) -> Cashier {
    Cashier {
        base: "/sandbox".to_owned(),
        token: typed.to_owned(),
        channel: channel.to_owned(),
        merchant: typed.to_owned(),
        payment_no: typed.to_owned(),
        subject: typed.to_owned(),
        amount_fen: 19_900,
        pay_before: "2026-12-01T10:05:59.123Z".to_owned(),
        state: state.to_owned(),
        return_url: (channel != "wechat").then(|| "http://127.0.0.1:3000/orders/OM-7K3F-9QWX-2MHD".to_owned()),
        transactions: if state == "paid" {
            vec![typed.to_owned()]
        } else {
            Vec::new()
        },
        misbehaviours: MISBEHAVIOURS.map(str::to_owned).to_vec(),
    }
}

fn overview(typed: &str) -> Overview {
    let at = || "2026-12-01T10:05:59.123Z".to_owned();
    let payment = |state: &str| Payment {
        channel: "wechat".to_owned(),
        payment_no: typed.to_owned(),
        token: typed.to_owned(),
        state: state.to_owned(),
        amount_fen: 19_900,
        created_at: at(),
    };
    let notice = |(state, attempts): (&str, i64)| Notice {
        id: typed.to_owned(),
        channel: "alipay".to_owned(),
        payment_no: typed.to_owned(),
        kind: "paid".to_owned(),
        state: state.to_owned(),
        attempts,
        due_at: at(),
    };
    let line = |(direction, status): (&str, i64)| Traffic {
        at: at(),
        channel: "webhook".to_owned(),
        direction: direction.to_owned(),
        what: typed.to_owned(),
        status,
        request: typed.to_owned(),
        answer: typed.to_owned(),
    };
    Overview {
        base: "/sandbox".to_owned(),
        payments: STATES.map(payment).to_vec(),
        notices: [("waiting", 1), ("acknowledged", 2), ("given_up", 16)]
            .map(notice)
            .to_vec(),
        traffic: [("received", 200), ("sent", 0)].map(line).to_vec(),
    }
}
