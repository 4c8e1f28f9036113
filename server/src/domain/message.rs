//! What the rest of the shop is told about an order.

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// An order was accepted; its stock is reserved.
    OrderPlaced,
    /// An order is paid.
    OrderPaid,
    /// An order was closed unpaid.
    OrderClosed,
    /// An order is on its way.
    OrderShipped,
    /// Money of an order is to be given back.
    RefundRequested,
    /// Money arrived that belongs to no open order, and is to be given back.
    SurplusReceived,
    /// All the money of an order went back.
    OrderRefunded,
    /// A refund was refused: what was held back is to be shipped after all.
    ShipmentDue,
}

impl MessageKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::OrderPlaced,
        Self::OrderPaid,
        Self::OrderClosed,
        Self::OrderShipped,
        Self::RefundRequested,
        Self::SurplusReceived,
        Self::OrderRefunded,
        Self::ShipmentDue,
    ];

    /// The name in the tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OrderPlaced => "ORDER_PLACED",
            Self::OrderPaid => "ORDER_PAID",
            Self::OrderClosed => "ORDER_CLOSED",
            Self::OrderShipped => "ORDER_SHIPPED",
            Self::RefundRequested => "REFUND_REQUESTED",
            Self::SurplusReceived => "SURPLUS_RECEIVED",
            Self::OrderRefunded => "ORDER_REFUNDED",
            Self::ShipmentDue => "SHIPMENT_DUE",
        }
    }

    /// Reads the name back.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}
