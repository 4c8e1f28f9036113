//! Signatures of submit tokens and session cookies: HMAC-SHA256 under a list of keys, of which the first signs and all verify, so
//! that a key can be replaced without invalidating what is out there.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::fmt;

/// Shortest signing key, in bytes.
pub const MINIMUM_KEY_BYTES: usize = 32;

/// What a signature is for. It is part of what is signed, so that one kind never passes for the other.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// A session cookie.
    Session,
    /// A submit token.
    SubmitToken,
}

impl Purpose {
    fn label(self) -> &'static str {
        match self {
            Self::Session => "oncemart session v1",
            Self::SubmitToken => "oncemart submit token v1",
        }
    }
}

/// The signing keys.
#[derive(Clone)]
pub struct SigningKeys {
    keys: Vec<Vec<u8>>,
}

impl fmt::Debug for SigningKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SigningKeys({} keys, not shown)", self.keys.len())
    }
}

impl SigningKeys {
    /// Reads keys in URL-safe base64 without padding, separated by commas.
    pub fn parse(text: &str) -> Result<Self, String> {
        let keys = text
            .split(',')
            .map(str::trim)
            .filter(|key| !key.is_empty())
            .map(|key| {
                URL_SAFE_NO_PAD
                    .decode(key)
                    .map_err(|_| "a signing key is not URL-safe base64 without padding".to_owned())
            })
            .collect::<Result<Vec<_>, _>>()?;
        if keys.is_empty() {
            return Err("there is no signing key in the list".to_owned());
        }
        if keys.iter().any(|key| key.len() < MINIMUM_KEY_BYTES) {
            return Err(format!("a signing key is shorter than {MINIMUM_KEY_BYTES} bytes"));
        }
        Ok(Self { keys })
    }

    /// A new random key in the form that [`Self::parse`] reads.
    pub fn generate() -> String {
        URL_SAFE_NO_PAD.encode(rand::random::<[u8; MINIMUM_KEY_BYTES]>())
    }

    /// Signs with the first key: 43 characters of URL-safe base64.
    pub fn sign(&self, purpose: Purpose, parts: &[&str]) -> String {
        URL_SAFE_NO_PAD.encode(signature(&self.keys[0], purpose, parts).finalize().into_bytes())
    }

    /// Whether any key made this signature, in its one spelling. Compared in constant time.
    pub fn verify(&self, purpose: Purpose, parts: &[&str], given: &str) -> bool {
        let Ok(bytes) = URL_SAFE_NO_PAD.decode(given) else {
            return false;
        };
        // The last character of unpadded base64 has spare bits: only the spelling that encoding makes is accepted.
        if URL_SAFE_NO_PAD.encode(&bytes) != given {
            return false;
        }
        self.keys
            .iter()
            .any(|key| signature(key, purpose, parts).verify_slice(&bytes).is_ok())
    }
}

fn signature(key: &[u8], purpose: Purpose, parts: &[&str]) -> Hmac<Sha256> {
    // HMAC takes a key of any length; the constructor's error type is for other MACs.
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC accepts a key of any length");
    mac.update(purpose.label().as_bytes());
    for part in parts {
        // The length keeps ("ab", "c") apart from ("a", "bc").
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part.as_bytes());
    }
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> SigningKeys {
        SigningKeys::parse(&SigningKeys::generate()).unwrap()
    }

    #[test]
    fn a_signature_holds_for_its_parts_and_its_purpose_only() {
        let keys = keys();
        let signature = keys.sign(Purpose::Session, &["ab", "c"]);
        assert!(keys.verify(Purpose::Session, &["ab", "c"], &signature));
        assert!(!keys.verify(Purpose::Session, &["a", "bc"], &signature));
        assert!(!keys.verify(Purpose::SubmitToken, &["ab", "c"], &signature));
    }

    #[test]
    fn only_one_spelling_of_a_signature_is_accepted() {
        let keys = keys();
        let signature = keys.sign(Purpose::Session, &["x"]);
        for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".chars() {
            let mut other = signature.clone();
            other.pop();
            other.push(last);
            assert_eq!(keys.verify(Purpose::Session, &["x"], &other), other == signature);
        }
        assert!(!keys.verify(Purpose::Session, &["x"], &format!("{signature}=")));
    }

    #[test]
    fn an_old_key_still_verifies_and_the_first_signs() {
        let (old, new) = (SigningKeys::generate(), SigningKeys::generate());
        let signed_before = SigningKeys::parse(&old).unwrap().sign(Purpose::Session, &["x"]);
        let rotated = SigningKeys::parse(&format!("{new},{old}")).unwrap();
        assert!(rotated.verify(Purpose::Session, &["x"], &signed_before));
        let signed_now = rotated.sign(Purpose::Session, &["x"]);
        assert!(
            SigningKeys::parse(&new)
                .unwrap()
                .verify(Purpose::Session, &["x"], &signed_now)
        );
    }

    #[test]
    fn short_or_unreadable_keys_are_refused() {
        assert!(SigningKeys::parse("").is_err());
        assert!(SigningKeys::parse("c2hvcnQ").is_err());
        assert!(SigningKeys::parse("not base64!").is_err());
    }
}
