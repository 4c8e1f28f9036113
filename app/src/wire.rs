//! The data that pages are made from, and the bodies of the JSON API that pages and API clients share.
//!
//! Plain values: the server fills them in, pages show them. Money is fen, times are RFC 3339 in UTC.

use serde::{Deserialize, Serialize};

/// How long one attempt of the page's `fetch` may stay without an answer. The server checks at its start that it is the more
/// impatient of the two.
pub const CLIENT_TIMEOUT_MILLISECONDS: i32 = 12_000;

/// A product as the catalog shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Product {
    /// Stock-keeping unit: capital letters, digits and hyphens.
    pub sku: String,
    /// Name in the language of the request.
    pub name: String,
    /// One sentence in the language of the request.
    pub description: String,
    /// Path of the picture, an SVG file of this site.
    pub picture: String,
    /// Price of one piece in fen.
    pub price_fen: i64,
    /// Pieces that can be ordered now.
    pub available: i64,
    /// Whether it can be ordered at all.
    pub on_sale: bool,
}

/// One line of an accepted order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderLine {
    /// Product.
    pub sku: String,
    /// Number of pieces.
    pub qty: i64,
    /// Price of one piece in fen at the time of the order.
    pub unit_price_fen: i64,
    /// Price of the line in fen.
    pub line_total_fen: i64,
}

/// The answer to an accepted order, and the first part of what an order reads as later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderBody {
    /// The order's number: random, readable aloud.
    pub order_no: String,
    /// `WAIT_PAY`, `PAID`, … as the state machine names them.
    pub status: String,
    /// Lines by SKU.
    pub items: Vec<OrderLine>,
    /// Sum of the lines in fen.
    pub subtotal_fen: i64,
    /// Taken off by the coupon, in fen.
    pub discount_fen: i64,
    /// To pay, in fen.
    pub total_fen: i64,
    /// Always `CNY`.
    pub currency: String,
    /// When the order was accepted.
    pub created_at: String,
    /// Until when it can be paid.
    pub pay_before: String,
}

/// One row of an order's journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// The order's version that this event made: 1 for the first.
    pub version: i64,
    /// What happened: `placed`, …
    pub event: String,
    /// Who or what brought it: `buyer`, `api_client`, …
    pub source: String,
    /// Status before; none for the first.
    pub from: Option<String>,
    /// Status after.
    pub to: String,
    /// When.
    pub at: String,
    /// What else is worth knowing, such as the channel and the amount; empty if nothing is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// A payment that a channel was asked to take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentBody {
    /// Our number of it.
    pub payment_no: String,
    /// `wechat`, `alipay` or `webhook`.
    pub channel: String,
    /// `CREATING`, `OPEN`, `SUCCEEDED`, `CLOSED` or `FAILED`.
    pub status: String,
    /// To pay, in fen.
    pub amount_fen: i64,
    /// When it was asked for.
    pub created_at: String,
    /// How the buyer pays; none unless it is open.
    pub action: Option<ActionBody>,
}

/// How a buyer pays at a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionBody {
    /// `qr`: show the address as a QR code. `redirect`: go there.
    #[serde(rename = "type")]
    pub kind: String,
    /// The address.
    pub url: String,
}

/// Money that the buyer asked back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundBody {
    /// The number that makes it happen once.
    pub refund_no: String,
    /// To give back, in fen.
    pub amount_fen: i64,
    /// Why, as typed.
    pub reason: String,
    /// `ASKED`, `SUCCEEDED` or `REFUSED`.
    pub status: String,
    /// When it was asked for.
    pub created_at: String,
}

/// Money that arrived and was not owed. It goes back without being asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurplusBody {
    /// The channel that it came through.
    pub channel: String,
    /// In fen.
    pub amount_fen: i64,
    /// `second_payment`: the order was paid already. `late_payment`: the order was closed already.
    pub reason: String,
    /// When it arrived.
    pub received_at: String,
    /// Whether it has gone back.
    pub refunded: bool,
}

/// An order as its owner reads it: `GET /api/orders/{order_no}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderWithJournal {
    /// The order.
    #[serde(flatten)]
    pub order: OrderBody,
    /// What arrived for it, in fen, without any surplus.
    pub paid_fen: i64,
    /// Asked back and not refused, in fen; what went back is part of it.
    pub refund_asked_fen: i64,
    /// Gone back, in fen.
    pub refunded_fen: i64,
    /// Its payments, oldest first.
    pub payments: Vec<PaymentBody>,
    /// Its refunds, oldest first.
    pub refunds: Vec<RefundBody>,
    /// What arrived and was not owed, oldest first.
    pub surplus: Vec<SurplusBody>,
    /// Its journal, oldest first.
    pub events: Vec<JournalEntry>,
}
