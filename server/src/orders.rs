//! The use cases around an order: read what is asked for ([`request`]), place it once ([`place`]), move it along the state
//! machine ([`advance`]), read it back for its owner ([`read`]).

pub mod advance;
pub mod place;
pub mod read;
pub mod request;
pub mod submit;
