//! The cryptography that channels share, all of it from aws-lc: RSA with SHA-256 (PKCS #1 v1.5), AES-256-GCM, HMAC-SHA256.

use aws_lc_rs::{
    aead, hmac,
    rand::SystemRandom,
    rsa::KeyPair,
    signature::{KeyPair as _, ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, UnparsedPublicKey},
};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, SubjectPublicKeyInfoDer, pem::PemObject as _};
use std::fmt;
use x509_parser::prelude::{FromDer as _, X509Certificate};

/// A key that signs our requests (or, in the sandbox, the provider's callbacks).
pub struct SigningKey(KeyPair);

impl fmt::Debug for SigningKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SigningKey(not shown)")
    }
}

impl SigningKey {
    /// Reads a private RSA key of 2048 bits or more from PEM, PKCS #8 or PKCS #1.
    pub fn from_pem(pem: &str) -> Result<Self, String> {
        let key = PrivateKeyDer::from_pem_slice(pem.as_bytes())
            .map_err(|_| "holds no private key in PEM; it begins with -----BEGIN PRIVATE KEY-----".to_owned())?;
        let pair = match &key {
            PrivateKeyDer::Pkcs8(der) => KeyPair::from_pkcs8(der.secret_pkcs8_der()),
            PrivateKeyDer::Pkcs1(der) => KeyPair::from_der(der.secret_pkcs1_der()),
            _ => return Err("holds a private key that is not an RSA key".to_owned()),
        };
        pair.map(Self)
            .map_err(|_| "holds a private key that is not an RSA key of 2048 bits or more".to_owned())
    }

    /// Signs with SHA-256 and RSA, PKCS #1 v1.5.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        let mut signature = vec![0; self.0.public_modulus_len()];
        self.0
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature)
            .map_err(|_| "the message could not be signed".to_owned())?;
        Ok(signature)
    }

    /// The public half.
    pub fn public_key(&self) -> PublicKey {
        PublicKey(self.0.public_key().as_ref().to_vec())
    }
}

/// A key that verifies what a provider signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey(Vec<u8>);

impl PublicKey {
    /// Reads a public RSA key from PEM: a public key or an X.509 certificate, whose serial number (upper-case hexadecimal) comes
    /// with it.
    pub fn from_pem(pem: &str) -> Result<(Self, Option<String>), String> {
        let unreadable = || "holds neither a public key nor a certificate in PEM".to_owned();
        if let Ok(key) = SubjectPublicKeyInfoDer::from_pem_slice(pem.as_bytes()) {
            return Ok((Self(key.as_ref().to_vec()), None));
        }
        let der = CertificateDer::from_pem_slice(pem.as_bytes()).map_err(|_| unreadable())?;
        let (_, certificate) = X509Certificate::from_der(&der).map_err(|_| unreadable())?;
        let serial = certificate
            .raw_serial()
            .iter()
            .map(|byte| format!("{byte:02X}"))
            .collect::<String>();
        Ok((Self(certificate.public_key().raw.to_vec()), Some(serial)))
    }

    /// Reads a public key from its DER form (`SubjectPublicKeyInfo`), as Alipay hands it out in Base64.
    pub fn from_der(der: &[u8]) -> Self {
        Self(der.to_vec())
    }

    /// Whether it is an RSA key of 2048 to 8192 bits, so that something can be its signature.
    pub fn is_usable(&self) -> bool {
        ParsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &self.0).is_ok()
    }

    /// Whether a signature is this key's, SHA-256 with RSA, PKCS #1 v1.5.
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &self.0)
            .verify(message, signature)
            .is_ok()
    }
}

/// Opens what AES-256-GCM sealed: ciphertext with its tag behind it. None if anything does not fit.
pub fn open_aes_256_gcm(key: &[u8; 32], nonce: &[u8], additional: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
    let key = aead::LessSafeKey::new(aead::UnboundKey::new(&aead::AES_256_GCM, key).ok()?);
    let nonce = aead::Nonce::try_assume_unique_for_key(nonce).ok()?;
    let mut buffer = sealed.to_vec();
    let length = key
        .open_in_place(nonce, aead::Aad::from(additional), &mut buffer)
        .ok()?
        .len();
    buffer.truncate(length);
    Some(buffer)
}

/// Seals with AES-256-GCM: ciphertext with its tag behind it. None only for a nonce of the wrong length.
pub fn seal_aes_256_gcm(key: &[u8; 32], nonce: &[u8], additional: &[u8], plain: &[u8]) -> Option<Vec<u8>> {
    let key = aead::LessSafeKey::new(aead::UnboundKey::new(&aead::AES_256_GCM, key).ok()?);
    let nonce = aead::Nonce::try_assume_unique_for_key(nonce).ok()?;
    let mut buffer = plain.to_vec();
    key.seal_in_place_append_tag(nonce, aead::Aad::from(additional), &mut buffer)
        .ok()?;
    Some(buffer)
}

/// HMAC-SHA256.
pub fn hmac_sha256(key: &[u8], message: &[u8]) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), message)
        .as_ref()
        .to_vec()
}

/// Whether a tag is the HMAC-SHA256 of a message, in constant time.
pub fn hmac_sha256_verifies(key: &[u8], message: &[u8], tag: &[u8]) -> bool {
    hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, key), message, tag).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_opens_only_with_everything_right() {
        let (key, nonce) = ([7; 32], *b"abcdefghijkl");
        let sealed = seal_aes_256_gcm(&key, &nonce, b"transaction", b"plain").unwrap();
        assert_eq!(
            open_aes_256_gcm(&key, &nonce, b"transaction", &sealed).unwrap(),
            b"plain"
        );
        assert_eq!(open_aes_256_gcm(&key, &nonce, b"refund", &sealed), None);
        assert_eq!(open_aes_256_gcm(&key, b"abcdefghijk", b"transaction", &sealed), None);
        assert_eq!(open_aes_256_gcm(&[8; 32], &nonce, b"transaction", &sealed), None);
    }
}
