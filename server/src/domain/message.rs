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
}

impl MessageKind {
    /// The name in the tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OrderPlaced => "ORDER_PLACED",
            Self::OrderPaid => "ORDER_PAID",
            Self::OrderClosed => "ORDER_CLOSED",
        }
    }
}
