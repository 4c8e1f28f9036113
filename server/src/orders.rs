//! The use cases around an order: read what is asked for ([`request`]), place it once ([`place`]), move it along the state
//! machine ([`advance`]), read it back for its owner ([`read`]).

pub mod advance;
pub mod place;
pub mod read;
pub mod request;
pub mod submit;

use crate::idempotency::ScopedKey;

/// Kind of operation under which orders are placed.
const PLACE_ORDER: &str = "place_order";

/// The scoped key of an order: who places it, and the submit token's id or the client's own key.
pub fn order_key(owner: &str, key: &str) -> ScopedKey {
    ScopedKey::new(PLACE_ORDER, owner, key)
}
