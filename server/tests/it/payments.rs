//! Money: payments, callbacks, closing, refunds.

mod paying;
