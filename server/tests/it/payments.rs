//! Money: payments, callbacks, closing, refunds.

mod bytes;
mod elsewhere;
mod forged;
mod misfits;
mod order_of_events;
mod paying;
mod repeats;
mod survives;
mod window;
