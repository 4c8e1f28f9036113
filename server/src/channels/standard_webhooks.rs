//! Any provider that signs as Standard Webhooks demands.

pub mod signing;

pub use signing::{Secret, signature};
