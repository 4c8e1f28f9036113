//! Pure rules: no database, no clock, no randomness; all three are passed in.

pub mod message;
pub mod order;
pub mod order_number;
