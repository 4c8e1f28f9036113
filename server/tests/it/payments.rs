//! Money: payments, callbacks, closing, refunds.

mod api;
mod bytes;
mod cashier;
mod closing;
mod door;
mod elsewhere;
mod forged;
mod misfits;
mod order_of_events;
mod outside;
mod pages;
mod paying;
mod racing;
mod refunds;
mod repeats;
mod survives;
mod window;
