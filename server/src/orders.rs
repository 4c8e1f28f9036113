//! The use cases around an order.
//!
//! Read what is asked for ([`request`]), place it once ([`place`]), move it along the state
//! machine ([`advance`]; [`act`] for what a person asks for), read it back for its owner ([`read`]).

pub mod act;
pub mod advance;
pub mod place;
pub mod read;
pub mod request;
pub mod submit;
