//! The keys with which WeChat Pay's signatures are verified, found by the serial that the message names.
//!
//! Certificates and public keys are accepted side by side, because merchants move from the one to the other while notices go on. A
//! certificate's serial number is a number: upper- and lower-case hexadecimal and leading zeros mean the same certificate. A public
//! key's id (`PUB_KEY_ID_…`) is a text and must be equal. A serial that is not known is refused; the other keys are not tried.

use super::super::crypto::PublicKey;
use std::{collections::HashMap, fmt};

/// What the id of a public key begins with.
const PUBLIC_KEY_ID: &str = "PUB_KEY_ID_";

/// The keys by serial.
#[derive(Clone, Default)]
pub struct PlatformKeys {
    keys: HashMap<String, PublicKey>,
    asked_for: Option<String>,
}

impl fmt::Debug for PlatformKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.keys.keys()).finish()
    }
}

impl PlatformKeys {
    /// Whether a setting's entry begins as a public key's id.
    pub fn is_public_key_id(text: &str) -> bool {
        text.starts_with(PUBLIC_KEY_ID)
    }

    /// Adds a key. Whether it is the first that is added decides what [`Self::asked_for`] says.
    pub fn add(&mut self, serial: &str, key: PublicKey) -> Result<(), String> {
        let name = normal(serial).ok_or_else(|| format!("'{serial}' is no serial number"))?;
        if self.keys.is_empty() && Self::is_public_key_id(serial) {
            self.asked_for = Some(serial.to_owned());
        }
        match self.keys.insert(name, key) {
            None => Ok(()),
            Some(_) => Err(format!("the serial {serial} is there twice")),
        }
    }

    /// The key that a message names.
    pub fn get(&self, serial: &str) -> Option<&PublicKey> {
        self.keys.get(&normal(serial)?)
    }

    /// The public key's id that requests name so that answers are signed with it; none if a certificate was given first, because
    /// WeChat Pay signs with certificates unless told otherwise.
    pub fn asked_for(&self) -> Option<&str> {
        self.asked_for.as_deref()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

/// The one spelling of a serial.
fn normal(serial: &str) -> Option<String> {
    if PlatformKeys::is_public_key_id(serial) {
        return Some(serial.to_owned());
    }
    let hexadecimal = !serial.is_empty() && serial.bytes().all(|byte| byte.is_ascii_hexdigit());
    hexadecimal.then(|| serial.trim_start_matches('0').to_ascii_uppercase())
}
