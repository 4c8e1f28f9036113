//! Alipay: the buyer pays on Alipay's page.

pub mod signing;

pub use signing::{LeftOut, Pair, pairs, signed_bytes};
