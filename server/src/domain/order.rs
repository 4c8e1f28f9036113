//! The order's state machine: the only place that says where an order may go.
//!
//! Buyers, callbacks, timers, consumers and operators
//! all ask [`decide`]; whoever changes an order's row does what it says and nothing else.

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

/// Something that may move an order along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderEvent {
    /// The order was placed; it costs this much.
    Placed {
        /// To pay, in fen.
        total_fen: i64,
    },
    /// The buyer cancelled it before paying.
    Cancelled,
}

impl OrderEvent {
    /// The name in the journal.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Placed { .. } => "placed",
            Self::Cancelled => "cancelled",
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
}

impl Source {
    /// The name in the journal.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Buyer => "buyer",
            Self::ApiClient => "api_client",
        }
    }
}

/// What an event does to an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The order goes there, and these messages leave with it, in this order.
    Step {
        /// The status after.
        to: Status,
        /// What the rest of the shop is told.
        messages: &'static [MessageKind],
    },
    /// The event has already had this effect: nothing to do.
    AlreadyThere,
    /// The order cannot go there from where it stands.
    Impossible,
}

/// Decides what an event does to an order that stands there; `None` for an order that does not exist yet.
pub fn decide(from: Option<Status>, event: OrderEvent) -> Decision {
    use Status::{Closed, Paid, WaitPay};
    match (from, event) {
        (None, OrderEvent::Placed { total_fen: 0 }) => Decision::Step {
            to: Paid,
            messages: &[MessageKind::OrderPlaced, MessageKind::OrderPaid],
        },
        (None, OrderEvent::Placed { .. }) => Decision::Step {
            to: WaitPay,
            messages: &[MessageKind::OrderPlaced],
        },
        (Some(WaitPay), OrderEvent::Cancelled) => Decision::Step {
            to: Closed,
            messages: &[MessageKind::OrderClosed],
        },
        (Some(Closed), OrderEvent::Cancelled) => Decision::AlreadyThere,
        (Some(_), OrderEvent::Placed { .. }) => Decision::AlreadyThere,
        (_, OrderEvent::Cancelled) => Decision::Impossible,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_event() -> impl Strategy<Value = OrderEvent> {
        prop_oneof![
            (0..10_000_i64).prop_map(|total_fen| OrderEvent::Placed { total_fen }),
            Just(OrderEvent::Cancelled)
        ]
    }

    #[test]
    fn an_order_with_nothing_to_pay_is_paid_at_once() {
        let decision = decide(None, OrderEvent::Placed { total_fen: 0 });
        assert_eq!(
            decision,
            Decision::Step {
                to: Status::Paid,
                messages: &[MessageKind::OrderPlaced, MessageKind::OrderPaid]
            }
        );
    }

    #[test]
    fn a_paid_order_cannot_be_cancelled_without_a_refund() {
        assert_eq!(decide(Some(Status::Paid), OrderEvent::Cancelled), Decision::Impossible);
    }

    #[test]
    fn every_status_reads_back_from_its_name() {
        for status in Status::ALL {
            assert_eq!(Status::parse(status.as_str()), Some(status));
        }
        assert_eq!(Status::parse("paid"), None);
    }

    proptest! {
        // The reference model: the edges of the state diagram, written down a second time as a set.
        #[test]
        fn any_sequence_of_events_moves_along_declared_edges_only(events in prop::collection::vec(any_event(), 0..20)) {
            const EDGES: [(Option<Status>, Status); 3] =
                [(None, Status::WaitPay), (None, Status::Paid), (Some(Status::WaitPay), Status::Closed)];
            let mut status = None;
            for event in events {
                if let Decision::Step { to, messages } = decide(status, event) {
                    prop_assert!(EDGES.contains(&(status, to)), "{status:?} -> {to:?}");
                    prop_assert!(!messages.is_empty());
                    status = Some(to);
                    // The same event again changes nothing.
                    prop_assert_eq!(decide(status, event), Decision::AlreadyThere);
                }
            }
        }
    }
}
