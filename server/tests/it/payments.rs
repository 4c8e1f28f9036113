//! Money: payments, callbacks, closing, refunds.

mod cashier;
mod closing;
mod paying;
mod refunds;
