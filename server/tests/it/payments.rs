//! Money: payments, callbacks, closing, refunds.

mod api;
mod cashier;
mod closing;
mod door;
mod outside;
mod pages;
mod paying;
mod racing;
mod refunds;
