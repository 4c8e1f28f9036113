//! What follows from an order's events: consumers of the outbox, each idempotent by itself, and the relay that brings them their
//! deliveries.

pub mod channel_operations;
pub mod coupons;
pub mod inventory;
pub mod relay;
