//! What decides and stores: the order chain and its idempotent writes.
//!
//! Arrows point one way: [`http`] → use cases ([`orders`], [`tokens`], [`catalog`]) → [`idempotency`], [`outbox`] → [`db`], with
//! the pure [`domain`] at the bottom. A reader who follows one order meets the files in this order: `http/order_form.rs` or
//! `http/order_api.rs`, `http/key.rs`, `orders/submit.rs`, `tokens.rs`, `orders/request.rs`, `idempotency.rs`, `orders/place.rs`,
//! `domain/order.rs`, `outbox.rs`.

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
