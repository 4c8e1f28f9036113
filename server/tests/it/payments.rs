//! Money: payments, callbacks, closing, refunds.

mod bytes;
mod cashier;
mod closing;
mod elsewhere;
mod forged;
mod misfits;
mod order_of_events;
mod paying;
mod refunds;
mod repeats;
mod survives;
mod window;
