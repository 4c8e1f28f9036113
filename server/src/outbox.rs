//! The transactional outbox: what the rest of the shop must be told, written in the transaction that made it true, with one
//! delivery for each consumer that must act on it.

use crate::{clock::Milliseconds, domain::message::MessageKind};
use sqlx::AnyConnection;

/// Who acts on messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consumer {
    /// Deducts, releases and restocks.
    Inventory,
    /// Uses and gives back coupons.
    Coupons,
    /// Sends the goods.
    Shipping,
    /// Closes and refunds at the payment channels.
    ChannelOperations,
}

impl Consumer {
    /// Every consumer.
    pub const ALL: [Self; 4] = [Self::Inventory, Self::Coupons, Self::Shipping, Self::ChannelOperations];

    /// The name in the tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inventory => "inventory",
            Self::Coupons => "coupons",
            Self::Shipping => "shipping",
            Self::ChannelOperations => "channel_operations",
        }
    }

    /// Reads the name back.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|consumer| consumer.as_str() == name)
    }
}

/// Who must act on a message. The reservation is part of the order's own transaction, so nobody need act on a placed order.
pub fn consumers_of(kind: MessageKind) -> &'static [Consumer] {
    match kind {
        MessageKind::OrderPlaced | MessageKind::OrderShipped => &[],
        MessageKind::OrderPaid => &[Consumer::Inventory, Consumer::Coupons, Consumer::Shipping],
        MessageKind::OrderClosed => &[Consumer::Inventory, Consumer::Coupons, Consumer::ChannelOperations],
        MessageKind::RefundRequested | MessageKind::SurplusReceived => &[Consumer::ChannelOperations],
        MessageKind::OrderRefunded => &[Consumer::Inventory, Consumer::Coupons],
        MessageKind::ShipmentDue => &[Consumer::Shipping],
    }
}

/// Writes a message and its deliveries in the caller's transaction. One kind at most once per version of an order. The subject is
/// what it is about beside the order: a refund's number, a transaction.
pub async fn write(
    transaction: &mut AnyConnection,
    order_no: &str,
    version: i64,
    kind: MessageKind,
    subject: &str,
    now: Milliseconds,
) -> Result<(), sqlx::Error> {
    let message_id = uuid::Uuid::now_v7().to_string();
    sqlx::query(
        "INSERT INTO outbox_message (message_id, order_no, version, kind, payload, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(&message_id)
    .bind(order_no)
    .bind(version)
    .bind(kind.as_str())
    .bind(
        serde_json::json!({ "order_no": order_no, "version": version, "kind": kind.as_str(), "subject": subject })
            .to_string(),
    )
    .bind(now)
    .execute(&mut *transaction)
    .await?;
    for consumer in consumers_of(kind) {
        sqlx::query(
            "INSERT INTO outbox_delivery (message_id, consumer, order_no, version, status, attempts, due_at)
             VALUES ($1, $2, $3, $4, 'due', 0, $5)",
        )
        .bind(&message_id)
        .bind(consumer.as_str())
        .bind(order_no)
        .bind(version)
        .bind(now)
        .execute(&mut *transaction)
        .await?;
    }
    Ok(())
}
