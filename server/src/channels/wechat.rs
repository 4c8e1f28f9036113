//! WeChat Pay, API v3, Native: the buyer scans a QR code.

pub mod signing;

pub use signing::{Authorization, request_message, signed_message};
