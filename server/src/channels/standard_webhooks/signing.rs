//! Standard Webhooks signatures, symmetric (`v1`), in one place for both sides.
//!
//! Source: <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>

use super::super::crypto::hmac_sha256;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use std::fmt;
use subtle::ConstantTimeEq as _;

/// Number of the message, the same for every attempt to deliver it.
pub const ID_HEADER: &str = "webhook-id";
/// When the attempt was signed: whole seconds since 1970.
pub const TIMESTAMP_HEADER: &str = "webhook-timestamp";
/// Signatures, separated by spaces, each with its version before a comma.
pub const SIGNATURE_HEADER: &str = "webhook-signature";

/// A secret that both sides know.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(not shown)")
    }
}

impl Secret {
    /// Reads `whsec_` and Base64 of 24 to 64 bytes.
    pub fn parse(text: &str) -> Result<Self, String> {
        let key = text
            .strip_prefix("whsec_")
            .and_then(|base64| STANDARD.decode(base64).ok())
            .ok_or("a secret is not whsec_ followed by Base64")?;
        if !(24..=64).contains(&key.len()) {
            return Err("a secret is not of 24 to 64 bytes".to_owned());
        }
        Ok(Self(key))
    }

    /// The raw tag over a message.
    fn tag(&self, id: &str, timestamp: &str, body: &[u8]) -> Vec<u8> {
        let mut message = format!("{id}.{timestamp}.").into_bytes();
        message.extend_from_slice(body);
        hmac_sha256(&self.0, &message)
    }
}

/// One signature, as it stands in the header: `v1,` and Base64.
pub fn signature(secret: &Secret, id: &str, timestamp: &str, body: &[u8]) -> String {
    format!("v1,{}", STANDARD.encode(secret.tag(id, timestamp, body)))
}

/// Whether any signature of the header is any secret's. Elements of other versions, in another spelling or malformed are skipped;
/// every comparison takes constant time.
pub fn verifies(secrets: &[Secret], id: &str, timestamp: &str, signatures: &str, body: &[u8]) -> bool {
    let given: Vec<Vec<u8>> = signatures
        .split(' ')
        .filter_map(|element| STANDARD.decode(element.strip_prefix("v1,")?).ok())
        .collect();
    let tags = secrets.iter().map(|secret| secret.tag(id, timestamp, body));
    tags.into_iter()
        .any(|tag| given.iter().any(|given| bool::from(given.ct_eq(&tag))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors that the specification's own libraries test with.
    const PUBLISHED: [(&str, &str, &str, &str, &str); 2] = [
        (
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "1614265330",
            r#"{"test": 2432232314}"#,
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ),
        (
            "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
            "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
            "1649367553",
            r#"{"email":"test@example.com","username":"test_user"}"#,
            "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=",
        ),
    ];

    #[test]
    fn the_published_vectors_come_out() {
        for (secret, id, timestamp, body, expected) in PUBLISHED {
            let secret = Secret::parse(secret).unwrap();
            assert_eq!(signature(&secret, id, timestamp, body.as_bytes()), expected);
            assert!(verifies(&[secret], id, timestamp, expected, body.as_bytes()));
        }
    }

    #[test]
    fn a_secret_is_prefixed_base64_of_24_to_64_bytes() {
        for text in [
            "",
            "whsec_",
            "whsec_c2hvcnQ=",
            "whsec_!",
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ] {
            assert!(Secret::parse(text).is_err(), "{text}");
        }
        let secret = Secret::parse(PUBLISHED[0].0).unwrap();
        assert_eq!(format!("{secret:?}"), "Secret(not shown)");
    }
}
