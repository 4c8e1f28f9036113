//! What is signed in WeChat Pay's API v3, in one place for both sides.
//!
//! What we send is what the sandbox gateway verifies, and the other way round.
//!
//! Source: <https://pay.weixin.qq.com/doc/v3/merchant/4012365342> (requests) and the guide on verifying answers and callbacks.

use super::super::crypto::SigningKey;
use base64::{Engine as _, engine::general_purpose::STANDARD};

/// The only kind of signature that is used here, in the `Authorization` header and in [`SIGNATURE_TYPE_HEADER`].
pub const SIGNATURE_TYPE: &str = "WECHATPAY2-SHA256-RSA2048";

/// When an answer or callback was signed: whole seconds since 1970.
pub const TIMESTAMP_HEADER: &str = "wechatpay-timestamp";
/// The random text of a signature.
pub const NONCE_HEADER: &str = "wechatpay-nonce";
/// The signature, Base64.
pub const SIGNATURE_HEADER: &str = "wechatpay-signature";
/// Which key signed.
pub const SERIAL_HEADER: &str = "wechatpay-serial";
/// Which kind of signature; absent means [`SIGNATURE_TYPE`].
pub const SIGNATURE_TYPE_HEADER: &str = "wechatpay-signature-type";

/// What WeChat Pay signs of an answer or a callback: three lines, each with its line end, the body as it travels.
pub fn signed_message(timestamp: &str, nonce: &str, body: &[u8]) -> Vec<u8> {
    let mut message = format!("{timestamp}\n{nonce}\n").into_bytes();
    message.extend_from_slice(body);
    message.push(b'\n');
    message
}

/// What the merchant signs of a request: five lines. The path is absolute and has its query string with it.
pub fn request_message(method: &str, path_and_query: &str, timestamp: &str, nonce: &str, body: &[u8]) -> Vec<u8> {
    let mut message = format!("{method}\n{path_and_query}\n{timestamp}\n{nonce}\n").into_bytes();
    message.extend_from_slice(body);
    message.push(b'\n');
    message
}

/// Signs a message, Base64.
pub fn sign(key: &SigningKey, message: &[u8]) -> Result<String, String> {
    Ok(STANDARD.encode(key.sign(message)?))
}

/// Reads a signature. None for whatever is not strict Base64, which then counts as a wrong signature.
pub fn decode_signature(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// The `Authorization` header of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Authorization {
    /// The merchant's number.
    pub mchid: String,
    /// The random text of the signature.
    pub nonce: String,
    /// When it was signed: whole seconds since 1970.
    pub timestamp: String,
    /// Serial number of the merchant's certificate.
    pub serial: String,
    /// The signature, Base64.
    pub signature: String,
}

impl Authorization {
    /// Writes the header.
    pub fn header(&self) -> String {
        format!(
            "{SIGNATURE_TYPE} mchid=\"{}\",nonce_str=\"{}\",timestamp=\"{}\",serial_no=\"{}\",signature=\"{}\"",
            self.mchid, self.nonce, self.timestamp, self.serial, self.signature
        )
    }

    /// Reads the header, the parts in any order. None if one is missing or the scheme is another.
    pub fn parse(header: &str) -> Option<Self> {
        let parts = header.strip_prefix(SIGNATURE_TYPE)?.strip_prefix(' ')?;
        let mut read = Self::default();
        for part in parts.split(',') {
            let (name, value) = part.trim().split_once('=')?;
            let value = value.strip_prefix('"')?.strip_suffix('"')?.to_owned();
            match name {
                "mchid" => read.mchid = value,
                "nonce_str" => read.nonce = value,
                "timestamp" => read.timestamp = value,
                "serial_no" => read.serial = value,
                "signature" => read.signature = value,
                _ => {}
            }
        }
        let parts = [&read.mchid, &read.nonce, &read.timestamp, &read.serial, &read.signature];
        let complete = parts.iter().all(|part| !part.is_empty());
        complete.then_some(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authorization_header_reads_back() {
        let written = Authorization {
            mchid: "1900000001".to_owned(),
            nonce: "N".to_owned(),
            timestamp: "1767196806".to_owned(),
            serial: "5F".to_owned(),
            signature: "a+/b==".to_owned(),
        };
        assert_eq!(Authorization::parse(&written.header()), Some(written));
        for header in [
            "",
            "Bearer x",
            "WECHATPAY2-SHA256-RSA2048 mchid=\"1\"",
            "WECHATPAY2-SHA256-RSA2048 ,,=",
        ] {
            assert_eq!(Authorization::parse(header), None, "{header}");
        }
    }

    #[test]
    fn an_empty_body_keeps_its_line_end() {
        assert_eq!(signed_message("1", "n", b""), b"1\nn\n\n");
        assert_eq!(
            request_message("GET", "/a?b=c", "1", "n", b""),
            b"GET\n/a?b=c\n1\nn\n\n"
        );
    }
}
