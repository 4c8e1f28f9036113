//! What decides and stores: orders, payments and what follows from them, and their idempotent writes.
//!
//! Arrows point one way: [`http`] → use cases ([`orders`], [`payments`], [`fulfilment`], [`tokens`], [`catalog`]) → [`idempotency`],
//! [`outbox`] → [`db`], with the pure [`domain`] at the bottom. [`channels`] speaks the payment providers' protocols and knows neither
//! orders nor the database; [`sandbox`] is a provider of its own, beside the shop.
//!
//! A reader who follows one order meets the files in this order: `http/order_form.rs` or `http/order_api.rs`, `http/key.rs`,
//! `orders/submit.rs`, `tokens.rs`, `orders/request.rs`, `idempotency.rs`, `orders/place.rs`, `domain/order.rs`, `outbox.rs`; then its
//! payment: `http/payment_pages.rs` or `http/payment_api.rs`, `payments/start.rs`, `channels.rs`, `http/callbacks.rs`,
//! `payments/callback.rs`, `payments/settle.rs`, `orders/advance.rs`, `payments/sweep.rs`, `payments/drive.rs`, `payments/refund.rs`;
//! then what follows: `fulfilment/relay.rs` and its consumers, `orders/act.rs`.

pub mod caller;
pub mod catalog;
pub mod channels;
pub mod cli;
pub mod clock;
pub mod config;
pub mod coupons;
pub mod db;
pub mod domain;
pub mod durations;
pub mod faults;
pub mod fulfilment;
pub mod http;
pub mod idempotency;
pub mod orders;
pub mod outbox;
pub mod payments;
pub mod problem;
pub mod sandbox;
pub mod serve;
pub mod signing;
pub mod tokens;
