//! The digest: SHA-256 over what a request means, never over its raw bytes.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// Identifies the meaning of a request. Two requests under one key are the same request exactly if their digests are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of a canonical form. The form must be a value whose fields always serialise in one order (a struct, not a hash
    /// map); making it canonical (summed lines, normal Unicode form) is the work of whoever parsed the request.
    ///
    /// # Errors
    /// When the form cannot be written as JSON, which a form of plain fields always can.
    pub fn of(biz_type: &str, canonical: &impl Serialize) -> Result<Self, serde_json::Error> {
        let mut hasher = Sha256::new();
        hasher.update(biz_type.as_bytes());
        hasher.update([0]);
        hasher.update(serde_json::to_vec(canonical)?);
        Ok(Self(hasher.finalize().into()))
    }

    /// The 32 bytes, as the table holds them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_meanings_of_different_operations_are_different() {
        assert_ne!(Digest::of("order", &1).unwrap(), Digest::of("refund", &1).unwrap());
        assert_eq!(Digest::of("order", &1).unwrap(), Digest::of("order", &1).unwrap());
    }
}
