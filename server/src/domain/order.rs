//! The order's state machine: the only place that says where an order may go.
//!
//! Buyers, callbacks, timers, consumers and operators all ask [`decide`]; whoever changes an order's row does what it says and
//! nothing else.

use super::message::MessageKind;

/// Where an order stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Accepted, stock reserved, not paid.
    WaitPay,
    /// Paid, or nothing to pay.
    Paid,
    /// On its way.
    Shipped,
    /// Received.
    Completed,
    /// Cancelled, or not paid in time.
    Closed,
    /// All the money has been asked back; nothing is shipped from here on.
    Refunding,
    /// All the money went back.
    Refunded,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 7] = [
        Self::WaitPay,
        Self::Paid,
        Self::Shipped,
        Self::Completed,
        Self::Closed,
        Self::Refunding,
        Self::Refunded,
    ];

    /// The name in tables and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WaitPay => "WAIT_PAY",
            Self::Paid => "PAID",
            Self::Shipped => "SHIPPED",
            Self::Completed => "COMPLETED",
            Self::Closed => "CLOSED",
            Self::Refunding => "REFUNDING",
            Self::Refunded => "REFUNDED",
        }
    }

    /// Reads the name back.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }
}

/// What the state machine knows of an order: the columns of its row that an event can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Where it stands.
    pub status: Status,
    /// To pay, in fen.
    pub total_fen: i64,
    /// What the one payment that counts brought in, in fen.
    pub paid_fen: i64,
    /// What has been asked back and not been refused, in fen.
    pub refund_asked_fen: i64,
    /// What went back, in fen.
    pub refunded_fen: i64,
    /// The transaction that paid it; empty while unpaid.
    pub paid_by: String,
    /// Whether it was ever shipped.
    pub shipped: bool,
    /// Where a refused refund leads back to.
    pub before_refunding: Option<Status>,
}

/// Something that may move an order along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderEvent {
    /// The buyer cancelled it before paying.
    Cancelled,
    /// It was not paid in time.
    DeadlinePassed,
    /// Money arrived, of the right currency and for the right merchant.
    PaymentSucceeded {
        /// The transaction, `channel:number`.
        transaction: String,
        /// In fen.
        amount_fen: i64,
    },
    /// One payment came to nothing at its channel.
    PaymentEnded {
        /// The payment.
        payment_no: String,
        /// Whether it was tried and failed; otherwise it was closed.
        failed: bool,
    },
    /// The goods are on their way.
    Shipped,
    /// The buyer has the goods.
    Received,
    /// Money is asked back.
    RefundAsked {
        /// The refund.
        refund_no: String,
        /// In fen.
        amount_fen: i64,
    },
    /// Money that was asked back went back.
    RefundSucceeded {
        /// The refund.
        refund_no: String,
        /// In fen.
        amount_fen: i64,
    },
    /// The channel will not give back what was asked.
    RefundRefused {
        /// The refund.
        refund_no: String,
        /// In fen.
        amount_fen: i64,
    },
    /// Surplus money went back.
    SurplusRefunded {
        /// The refund.
        refund_no: String,
        /// In fen.
        amount_fen: i64,
    },
}

impl OrderEvent {
    /// The name in the journal. A second or late payment is another thing than the one that pays.
    pub fn name(&self, effect: Effect) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::DeadlinePassed => "deadline_passed",
            Self::PaymentSucceeded { .. } if matches!(effect, Effect::Surplus(_)) => "surplus_received",
            Self::PaymentSucceeded { .. } => "payment_succeeded",
            Self::PaymentEnded { failed: true, .. } => "payment_failed",
            Self::PaymentEnded { failed: false, .. } => "payment_closed",
            Self::Shipped => "shipped",
            Self::Received => "received",
            Self::RefundAsked { .. } => "refund_asked",
            Self::RefundSucceeded { .. } => "refund_succeeded",
            Self::RefundRefused { .. } => "refund_refused",
            Self::SurplusRefunded { .. } => "surplus_refunded",
        }
    }

    /// What it is about, for people and for the message that leaves with it.
    pub fn subject(&self) -> &str {
        match self {
            Self::Cancelled | Self::DeadlinePassed | Self::Shipped | Self::Received => "",
            Self::PaymentSucceeded { transaction, .. } => transaction,
            Self::PaymentEnded { payment_no, .. } => payment_no,
            Self::RefundAsked { refund_no, .. }
            | Self::RefundSucceeded { refund_no, .. }
            | Self::RefundRefused { refund_no, .. }
            | Self::SurplusRefunded { refund_no, .. } => refund_no,
        }
    }

    /// The money that it moves, in fen, if it moves any.
    pub fn amount_fen(&self) -> Option<i64> {
        match self {
            Self::Cancelled | Self::DeadlinePassed | Self::PaymentEnded { .. } | Self::Shipped | Self::Received => None,
            Self::PaymentSucceeded { amount_fen, .. }
            | Self::RefundAsked { amount_fen, .. }
            | Self::RefundSucceeded { amount_fen, .. }
            | Self::RefundRefused { amount_fen, .. }
            | Self::SurplusRefunded { amount_fen, .. } => Some(*amount_fen),
        }
    }
}

/// Who or what brings an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A buyer's browser.
    Buyer,
    /// A client of the API.
    ApiClient,
    /// A payment channel: its callback, or its answer when asked.
    Channel,
    /// A deadline of ours.
    Timer,
    /// A consumer of the outbox.
    Consumer,
    /// A person who runs the shop.
    Operator,
}

impl Source {
    /// The name in the journal.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Buyer => "buyer",
            Self::ApiClient => "api_client",
            Self::Channel => "channel",
            Self::Timer => "timer",
            Self::Consumer => "consumer",
            Self::Operator => "operator",
        }
    }
}

/// What a step does besides changing the order's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing else.
    Plain,
    /// The money that came is surplus: it is to be given back, once.
    Surplus(SurplusReason),
}

/// Why money is surplus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurplusReason {
    /// The order was paid by another transaction.
    SecondPayment,
    /// The order was closed before the money came.
    LatePayment,
}

impl SurplusReason {
    /// The name in tables and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SecondPayment => "second_payment",
            Self::LatePayment => "late_payment",
        }
    }
}

/// What an event does to an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The order becomes this, and these messages leave with it, in this order.
    Step {
        /// The order after.
        order: Order,
        /// What the rest of the shop is told.
        messages: &'static [MessageKind],
        /// What else it means.
        effect: Effect,
    },
    /// The event has already had its effect, or comes too late to have any: nothing to do, nothing wrong.
    NothingToDo,
    /// The order cannot go there from where it stands.
    Impossible,
}

/// Where a new order begins that costs this much, and the messages that leave with it.
pub fn place(total_fen: i64) -> (Order, &'static [MessageKind]) {
    let (status, messages): (_, &[_]) = if total_fen == 0 {
        (Status::Paid, &[MessageKind::OrderPlaced, MessageKind::OrderPaid])
    } else {
        (Status::WaitPay, &[MessageKind::OrderPlaced])
    };
    let order = Order {
        status,
        total_fen,
        paid_fen: 0,
        refund_asked_fen: 0,
        refunded_fen: 0,
        paid_by: String::new(),
        shipped: false,
        before_refunding: None,
    };
    (order, messages)
}

/// Decides what an event does to an order.
pub fn decide(order: &Order, event: &OrderEvent) -> Decision {
    use Status::{Closed, Completed, Paid, Refunded, Refunding, Shipped, WaitPay};
    match (order.status, event) {
        (
            _,
            OrderEvent::PaymentSucceeded {
                transaction,
                amount_fen,
            },
        ) => pay(order, transaction, *amount_fen),

        (WaitPay, OrderEvent::Cancelled | OrderEvent::DeadlinePassed) => {
            step(order, |order| order.status = Closed, &[MessageKind::OrderClosed])
        }
        (Closed, OrderEvent::Cancelled | OrderEvent::DeadlinePassed) => Decision::NothingToDo,

        (WaitPay, OrderEvent::PaymentEnded { .. }) => step(order, |_| {}, &[]),
        // Another payment has paid, or the order is closed: this one's end is no news.
        (_, OrderEvent::PaymentEnded { .. }) => Decision::NothingToDo,

        (Paid, OrderEvent::Shipped) => {
            let ship = |order: &mut Order| (order.status, order.shipped) = (Shipped, true);
            step(order, ship, &[MessageKind::OrderShipped])
        }
        (_, OrderEvent::Shipped) if order.shipped => Decision::NothingToDo,
        (Shipped, OrderEvent::Received) => step(order, |order| order.status = Completed, &[]),
        (Completed, OrderEvent::Received) => Decision::NothingToDo,

        (Paid | Shipped | Completed, OrderEvent::RefundAsked { amount_fen, .. }) => ask_back(order, *amount_fen),
        (Paid | Shipped | Completed | Refunding, OrderEvent::RefundSucceeded { amount_fen, .. }) => {
            give_back(order, *amount_fen)
        }
        (Paid | Shipped | Completed | Refunding, OrderEvent::RefundRefused { amount_fen, .. }) => {
            keep(order, *amount_fen)
        }

        // Surplus money is no part of the order's sums; the journal says that it went.
        (_, OrderEvent::SurplusRefunded { .. }) => step(order, |_| {}, &[]),

        (Paid | Shipped | Completed | Refunding | Refunded, OrderEvent::Cancelled | OrderEvent::DeadlinePassed)
        | (WaitPay | Closed | Refunding | Refunded, OrderEvent::Shipped)
        | (Completed, OrderEvent::Shipped)
        | (Shipped, OrderEvent::Shipped)
        | (WaitPay | Closed | Paid | Refunding | Refunded, OrderEvent::Received)
        | (WaitPay | Closed | Refunding | Refunded, OrderEvent::RefundAsked { .. })
        | (WaitPay | Closed | Refunded, OrderEvent::RefundSucceeded { .. } | OrderEvent::RefundRefused { .. }) => {
            Decision::Impossible
        }
    }
}

fn step(order: &Order, change: impl FnOnce(&mut Order), messages: &'static [MessageKind]) -> Decision {
    let mut order = order.clone();
    change(&mut order);
    Decision::Step {
        order,
        messages,
        effect: Effect::Plain,
    }
}

/// Money came. It pays an order that waits for exactly this much; to any other order it is surplus, unless it is the very money
/// that paid it.
fn pay(order: &Order, transaction: &str, amount_fen: i64) -> Decision {
    if amount_fen <= 0 {
        return Decision::Impossible;
    }
    let reason = match order.status {
        Status::WaitPay if amount_fen != order.total_fen => return Decision::Impossible,
        Status::WaitPay => {
            let paid = |order: &mut Order| {
                order.status = Status::Paid;
                order.paid_fen = amount_fen;
                transaction.clone_into(&mut order.paid_by);
            };
            return step(order, paid, &[MessageKind::OrderPaid]);
        }
        _ if order.paid_by == transaction => return Decision::NothingToDo,
        Status::Closed => SurplusReason::LatePayment,
        _ => SurplusReason::SecondPayment,
    };
    Decision::Step {
        order: order.clone(),
        messages: &[MessageKind::SurplusReceived],
        effect: Effect::Surplus(reason),
    }
}

/// Money is asked back: never more than was paid. When all of it is, nothing is shipped from here on.
fn ask_back(order: &Order, amount_fen: i64) -> Decision {
    let left = order.paid_fen - order.refund_asked_fen;
    if amount_fen <= 0 || amount_fen > left {
        return Decision::Impossible;
    }
    let asked = |order: &mut Order| {
        order.refund_asked_fen += amount_fen;
        if order.refund_asked_fen == order.paid_fen {
            order.before_refunding = Some(order.status);
            order.status = Status::Refunding;
        }
    };
    step(order, asked, &[MessageKind::RefundRequested])
}

fn give_back(order: &Order, amount_fen: i64) -> Decision {
    let owed = order.refund_asked_fen - order.refunded_fen;
    if amount_fen <= 0 || amount_fen > owed {
        return Decision::Impossible;
    }
    if order.refunded_fen + amount_fen < order.paid_fen {
        return step(order, |order| order.refunded_fen += amount_fen, &[]);
    }
    let all = |order: &mut Order| {
        order.refunded_fen += amount_fen;
        order.status = Status::Refunded;
        order.before_refunding = None;
    };
    step(order, all, &[MessageKind::OrderRefunded])
}

/// The channel refused: the order is where it was, and what was held back may be shipped.
fn keep(order: &Order, amount_fen: i64) -> Decision {
    let owed = order.refund_asked_fen - order.refunded_fen;
    if amount_fen <= 0 || amount_fen > owed {
        return Decision::Impossible;
    }
    let kept = |order: &mut Order| {
        order.refund_asked_fen -= amount_fen;
        if let Some(before) = order.before_refunding.take() {
            order.status = before;
        }
    };
    let held_back = order.status == Status::Refunding && !order.shipped;
    step(order, kept, if held_back { &[MessageKind::ShipmentDue] } else { &[] })
}

#[cfg(test)]
mod tests;
