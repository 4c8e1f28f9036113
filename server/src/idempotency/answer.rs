//! What an idempotent write answered: kept, and given again byte for byte.

use serde::{Deserialize, Serialize};

/// Headers that a stored answer may carry. Cookies, security policies, dates and request ids belong to one exchange, not to the
/// answer, and are never stored.
const STORED_HEADERS: [&str; 2] = ["content-type", "location"];

/// An answer as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Allow-listed headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body: JSON text.
    pub body: String,
}

impl Answer {
    /// An answer of the given status and body; a header that must not be stored is left out.
    pub fn new(status: u16, headers: &[(&str, &str)], body: String) -> Self {
        let headers = headers
            .iter()
            .filter(|(name, _)| STORED_HEADERS.contains(name))
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Self { status, headers, body }
    }

    /// The value of a stored header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(stored, _)| stored == name)
            .map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_and_dates_are_never_stored() {
        let answer = Answer::new(
            201,
            &[("location", "/orders/1"), ("set-cookie", "a=b"), ("date", "now")],
            String::new(),
        );
        assert_eq!(answer.headers, [("location".to_owned(), "/orders/1".to_owned())]);
    }
}
