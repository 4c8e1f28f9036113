//! An order's page in every state.

use crate::{
    pages::data::{OpenPayment, OrderNotice, OrderPage},
    wire::{ActionBody, JournalEntry, OrderBody, OrderLine, OrderWithJournal, PaymentBody, RefundBody, SurplusBody},
};

/// Every channel.
pub const CHANNELS: [&str; 3] = ["wechat", "alipay", "webhook"];

/// Every event of a journal.
pub const EVENTS: [&str; 13] = [
    "placed",
    "payment_succeeded",
    "cancelled",
    "deadline_passed",
    "payment_failed",
    "payment_closed",
    "surplus_received",
    "surplus_refunded",
    "shipped",
    "received",
    "refund_asked",
    "refund_succeeded",
    "refund_refused",
];

/// Everybody who brings an event.
pub const SOURCES: [&str; 6] = ["buyer", "api_client", "channel", "timer", "consumer", "operator"];

/// Every reason why a press has no effect.
pub const NOTICES: [OrderNotice; 10] = [
    OrderNotice::PaymentUnreachable,
    OrderNotice::ChannelRefused,
    OrderNotice::NotPayable,
    OrderNotice::CannotCancel,
    OrderNotice::RefundTooLarge { refundable_fen: 1200 },
    OrderNotice::RefundAmountInvalid,
    OrderNotice::RefundReasonInvalid,
    OrderNotice::StillWorking,
    OrderNotice::RefundNumberTaken,
    OrderNotice::CannotConfirm,
];

/// Every state, with a name for each.
pub fn all(typed: &str) -> Vec<(String, OrderPage)> {
    let mut pages = waiting(typed);
    pages.extend([
        ("order-PAID", paid(typed)),
        ("order-PAID-free", free(typed)),
        ("order-PAID-twice", with_surplus(paid(typed), "second_payment", false)),
        ("order-SHIPPED", shipped(typed)),
        ("order-COMPLETED", after(paid(typed), "received", "buyer", "COMPLETED")),
        ("order-CLOSED", closed(typed, "something_new")),
        ("order-CLOSED-cancelled", closed(typed, "cancelled")),
        ("order-CLOSED-deadline", closed(typed, "deadline_passed")),
        (
            "order-CLOSED-late",
            with_surplus(closed(typed, "cancelled"), "late_payment", false),
        ),
        (
            "order-CLOSED-late-refunded",
            with_surplus(closed(typed, "deadline_passed"), "late_payment", true),
        ),
        ("order-REFUNDING", refunding(typed)),
        ("order-REFUNDED", refunded(typed)),
        (
            "order-SOMETHING_NEW",
            after(order(typed), typed, typed, "SOMETHING_NEW"),
        ),
    ]);
    let mut pages: Vec<_> = pages.into_iter().map(|(name, page)| (name.to_owned(), page)).collect();
    pages.extend(NOTICES.map(|notice| (format!("order-notice-{}", notice.as_str()), noticed(typed, notice))));
    pages
}

fn waiting(typed: &str) -> Vec<(&'static str, OrderPage)> {
    let none = OrderPage {
        channels: Vec::new(),
        ..unpaid(typed)
    };
    let mut failed = unpaid(typed);
    failed.order.payments.push(payment("alipay", "FAILED", typed));
    let code = Some("data:image/svg+xml;base64,PHN2Zy8+");
    let here = Some("http://127.0.0.1:3000/sandbox/cashier/1");
    vec![
        ("order-WAIT_PAY", unpaid(typed)),
        ("order-WAIT_PAY-none", none),
        ("order-WAIT_PAY-failed", failed),
        ("order-WAIT_PAY-qr", paying(typed, "wechat", "qr", code, here)),
        ("order-WAIT_PAY-qr-text", paying(typed, typed, "qr", None, Some(typed))),
        (
            "order-WAIT_PAY-redirect",
            paying("https://pay.example/?a=1&b=2", "alipay", "redirect", None, None),
        ),
        (
            "order-WAIT_PAY-redirect-typed",
            paying(typed, "webhook", "redirect", None, None),
        ),
    ]
}

/// An order that waits for its money, whose texts are all the given one.
pub fn unpaid(typed: &str) -> OrderPage {
    OrderPage {
        channels: CHANNELS.map(str::to_owned).to_vec(),
        can_cancel: true,
        ..order(typed)
    }
}

fn paying(typed: &str, channel: &str, kind: &str, image: Option<&str>, here: Option<&str>) -> OrderPage {
    let mut page = unpaid(typed);
    page.order.payments.push(payment(channel, "OPEN", typed));
    page.open_payment = Some(OpenPayment {
        channel: channel.to_owned(),
        kind: kind.to_owned(),
        url: typed.to_owned(),
        qr_image: image.map(str::to_owned),
        payable_here: here.map(str::to_owned),
    });
    page
}

/// A paid order, part of which is asked back.
pub fn paid(typed: &str) -> OrderPage {
    let mut page = after(order(typed), "payment_succeeded", "channel", "PAID");
    page.order.paid_fen = 6380;
    page.order.refund_asked_fen = 1380;
    page.order.payments.push(payment("wechat", "SUCCEEDED", ""));
    page.order.refunds.push(refund(1380, typed, "ASKED"));
    page.refundable_fen = 5000;
    page.refund_no = "01JEXAMPLE".to_owned();
    page
}

fn free(typed: &str) -> OrderPage {
    let mut page = order(typed);
    page.order.order.status = "PAID".to_owned();
    page.order.order.total_fen = 0;
    page
}

fn shipped(typed: &str) -> OrderPage {
    OrderPage {
        can_confirm_receipt: true,
        ..after(paid(typed), "shipped", "operator", "SHIPPED")
    }
}

fn closed(typed: &str, why: &str) -> OrderPage {
    let mut page = after(order(typed), why, "timer", "CLOSED");
    page.order.payments.push(payment("wechat", "CLOSED", ""));
    page
}

fn refunding(typed: &str) -> OrderPage {
    let mut page = after(paid(typed), "refund_asked", "buyer", "REFUNDING");
    page.order.refunds.push(refund(5000, typed, "SOMETHING_NEW"));
    page.order.refund_asked_fen = 6380;
    page.refundable_fen = 0;
    page
}

fn refunded(typed: &str) -> OrderPage {
    let mut page = after(refunding(typed), "refund_succeeded", "consumer", "REFUNDED");
    page.order.refunds = vec![refund(5000, typed, "REFUSED"), refund(6380, typed, "SUCCEEDED")];
    page.order.refund_asked_fen = 0;
    page.order.refunded_fen = 6380;
    page
}

fn noticed(typed: &str, notice: OrderNotice) -> OrderPage {
    let about_refund = notice.field().is_some() || notice == OrderNotice::RefundNumberTaken;
    let page = if about_refund { paid(typed) } else { unpaid(typed) };
    OrderPage {
        notice: Some(notice),
        refund_amount: about_refund.then(|| typed.to_owned()),
        refund_reason: if about_refund { typed.to_owned() } else { String::new() },
        ..page
    }
}

/// The order after one more event.
fn after(mut page: OrderPage, event: &str, source: &str, to: &str) -> OrderPage {
    page.version += 1;
    page.order.events.push(JournalEntry {
        version: page.version,
        event: event.to_owned(),
        source: source.to_owned(),
        from: Some(page.order.order.status),
        to: to.to_owned(),
        at: "2026-12-01T09:36:10Z".to_owned(),
        detail: "wechat, 6380 fen".to_owned(),
    });
    page.order.order.status = to.to_owned();
    page
}

fn with_surplus(page: OrderPage, reason: &str, refunded: bool) -> OrderPage {
    let status = page.order.order.status.clone();
    let mut page = after(page, "surplus_received", "channel", &status);
    page.order.surplus.push(SurplusBody {
        channel: "alipay".to_owned(),
        amount_fen: 6380,
        reason: reason.to_owned(),
        received_at: "2026-12-01T09:40:00Z".to_owned(),
        refunded,
    });
    page
}

fn payment(channel: &str, status: &str, url: &str) -> PaymentBody {
    PaymentBody {
        payment_no: "P7K3M9QXT2VHD01".to_owned(),
        channel: channel.to_owned(),
        status: status.to_owned(),
        amount_fen: 6380,
        created_at: "2026-12-01T09:35:30Z".to_owned(),
        action: (status == "OPEN").then(|| ActionBody {
            kind: "qr".to_owned(),
            url: url.to_owned(),
        }),
    }
}

fn refund(amount_fen: i64, reason: &str, status: &str) -> RefundBody {
    RefundBody {
        refund_no: format!("R{amount_fen}"),
        amount_fen,
        reason: reason.to_owned(),
        status: status.to_owned(),
        created_at: "2026-12-01T09:50:00Z".to_owned(),
    }
}

fn line(sku: &str, qty: i64, unit_price_fen: i64) -> OrderLine {
    OrderLine {
        sku: sku.to_owned(),
        qty,
        unit_price_fen,
        line_total_fen: unit_price_fen * qty,
    }
}

/// An order that was just placed, with nothing to do about it.
fn order(typed: &str) -> OrderPage {
    let placed = JournalEntry {
        version: 1,
        event: "placed".to_owned(),
        source: "buyer".to_owned(),
        from: None,
        to: "WAIT_PAY".to_owned(),
        at: "2026-12-01T09:35:00Z".to_owned(),
        detail: String::new(),
    };
    let body = OrderBody {
        order_no: "7K3M9QXT2VHD".to_owned(),
        status: "WAIT_PAY".to_owned(),
        items: vec![line("SKU-10", 1, 2900), line("SKU-3", 2, 1990)],
        subtotal_fen: 6880,
        discount_fen: 500,
        total_fen: 6380,
        currency: "CNY".to_owned(),
        created_at: "2026-12-01T09:35:00Z".to_owned(),
        pay_before: "2026-12-01T10:05:00Z".to_owned(),
    };
    OrderPage {
        order: OrderWithJournal {
            order: body,
            paid_fen: 0,
            refund_asked_fen: 0,
            refunded_fen: 0,
            payments: Vec::new(),
            refunds: Vec::new(),
            surplus: Vec::new(),
            events: vec![placed],
        },
        version: 1,
        products: vec![("Limited mug".to_owned(), "/pictures/sku-10.svg".to_owned())],
        name: typed.to_owned(),
        phone: typed.to_owned(),
        address: typed.to_owned(),
        note: typed.to_owned(),
        coupon: Some(typed.to_owned()),
        channels: Vec::new(),
        open_payment: None,
        can_cancel: false,
        can_confirm_receipt: false,
        refundable_fen: 0,
        refund_no: String::new(),
        refund_amount: None,
        refund_reason: String::new(),
        notice: None,
    }
}
