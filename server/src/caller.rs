//! Who asks: a browser session or a client of the API. Whatever they own is named by their [`owner`](Caller::owner).

use crate::domain::order::Source;
use uuid::Uuid;

/// The random id of a browser's session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(String);

impl SessionId {
    /// A new session. Ids begin with the time, so that of several the oldest is the smallest.
    #[expect(
        clippy::new_without_default,
        reason = "a default session would look like the same one each time"
    )]
    pub fn new() -> Self {
        Self(Uuid::now_v7().simple().to_string())
    }

    /// Takes a text for an id, if it has the one form that [`Self::new`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text)
            .ok()
            .map(|id| id.simple().to_string())
            .filter(|id| id == text)
            .map(Self)
    }

    /// The id's text: 32 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How the tables name this session as an owner.
    pub fn owner(&self) -> String {
        format!("session:{}", self.0)
    }
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A browser, by its session cookie.
    Session(SessionId),
    /// A client of the API, by its bearer token; this is its name.
    Client(String),
}

impl Caller {
    /// How the tables name the owner of what this caller makes.
    pub fn owner(&self) -> String {
        match self {
            Self::Session(session) => session.owner(),
            Self::Client(name) => format!("client:{name}"),
        }
    }

    /// How an order's journal names this caller's kind.
    pub fn source(&self) -> Source {
        match self {
            Self::Session(_) => Source::Buyer,
            Self::Client(_) => Source::ApiClient,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_older_of_two_sessions_is_the_smaller() {
        let (first, second) = (SessionId::new(), SessionId::new());
        assert!(first < second);
        assert_eq!(SessionId::parse(first.as_str()), Some(first));
        assert_eq!(SessionId::parse("not a session"), None);
    }
}
