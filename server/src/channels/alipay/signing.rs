//! What Alipay signs, in one place for both sides.
//!
//! A form's pairs, decoded exactly once, are sorted by name and joined as `name=value` with `&`, the values as bytes in the form's
//! charset. Requests and notices differ only in what is left out.

use super::super::crypto::{PublicKey, SigningKey};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::percent_decode;
use std::collections::HashSet;

/// The only kind of signature that is accepted, whatever a message claims: RSA with SHA-256. `RSA` would be SHA-1.
pub const SIGN_TYPE: &str = "RSA2";

/// A form's pair of name and value, decoded from percent signs but not from its charset.
pub type Pair = (Vec<u8>, Vec<u8>);

/// What is left out of the signed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// A request to the gateway: `sign` and whatever is empty.
    OfRequest,
    /// A notice: `sign` and `sign_type`.
    OfNotice,
    /// A notice of a signer that skips empty values too.
    OfNoticeAndEmpty,
}

/// Takes a form apart: percent signs and `+` are decoded once, `=` after the first belongs to the value. None if a name comes twice,
/// because then two readers might read two different forms.
pub fn pairs(form: &[u8]) -> Option<Vec<Pair>> {
    let mut names = HashSet::new();
    let mut pairs = Vec::new();
    for part in form.split(|byte| *byte == b'&').filter(|part| !part.is_empty()) {
        let end = part.iter().position(|byte| *byte == b'=').unwrap_or(part.len());
        let name = decoded(&part[..end]);
        if !names.insert(name.clone()) {
            return None;
        }
        pairs.push((name, decoded(part.get(end + 1..).unwrap_or_default())));
    }
    Some(pairs)
}

fn decoded(text: &[u8]) -> Vec<u8> {
    let spaces: Vec<u8> = text
        .iter()
        .map(|byte| if *byte == b'+' { b' ' } else { *byte })
        .collect();
    percent_decode(&spaces).collect()
}

/// The bytes that are signed.
pub fn signed_bytes(pairs: &[Pair], left_out: LeftOut) -> Vec<u8> {
    let signed = |(name, value): &&Pair| match left_out {
        LeftOut::OfRequest => name != b"sign" && !value.is_empty(),
        LeftOut::OfNotice => name != b"sign" && name != b"sign_type",
        LeftOut::OfNoticeAndEmpty => name != b"sign" && name != b"sign_type" && !value.is_empty(),
    };
    let mut signed: Vec<&Pair> = pairs.iter().filter(signed).collect();
    signed.sort_unstable();
    let joined: Vec<Vec<u8>> = signed
        .iter()
        .map(|(name, value)| [name, &b"="[..], value].concat())
        .collect();
    joined.join(&b'&')
}

/// Signs bytes, Base64.
pub fn sign(key: &SigningKey, message: &[u8]) -> Result<String, String> {
    Ok(STANDARD.encode(key.sign(message)?))
}

/// Whether a signature in Base64 fits. Whatever is not strict Base64 does not.
pub fn verifies(key: &PublicKey, message: &[u8], signature: &[u8]) -> bool {
    STANDARD
        .decode(signature)
        .is_ok_and(|signature| key.verifies(message, &signature))
}

/// Writes pairs as a form.
pub fn form(pairs: &[Pair]) -> String {
    let mut form = String::new();
    for (name, value) in pairs {
        if !form.is_empty() {
            form.push('&');
        }
        form.extend(url::form_urlencoded::byte_serialize(name));
        form.push('=');
        form.extend(url::form_urlencoded::byte_serialize(value));
    }
    form
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_decoded_once_and_names_come_once() {
        let read = pairs(b"b=1%2B1+x&a=%25&c&=d==&&").unwrap();
        let expected: Vec<Pair> = [("b", "1+1 x"), ("a", "%"), ("c", ""), ("", "d==")]
            .map(|(name, value)| (name.into(), value.into()))
            .to_vec();
        assert_eq!(read, expected);
        assert_eq!(pairs(&form(&read).into_bytes()).unwrap(), read);
        assert_eq!(pairs(b"a=1&%61=2"), None);
    }

    #[test]
    fn requests_leave_out_what_is_empty_and_notices_the_kind_of_signature() {
        let pairs = pairs(b"sign=x&sign_type=RSA2&b=&a=1").unwrap();
        assert_eq!(signed_bytes(&pairs, LeftOut::OfRequest), b"a=1&sign_type=RSA2");
        assert_eq!(signed_bytes(&pairs, LeftOut::OfNotice), b"a=1&b=");
        assert_eq!(signed_bytes(&pairs, LeftOut::OfNoticeAndEmpty), b"a=1");
    }
}
