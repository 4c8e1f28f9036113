//! The sandbox gateway: the built-in payment provider that speaks the server side of the three protocols over real HTTP, signs,
//! retries and misbehaves like the real ones.

pub mod files;
pub mod keys;
pub mod schedule;
pub mod sign;
