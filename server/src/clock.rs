//! The application's clock: every time that is stored or compared comes from here, never from the database.

use jiff::Timestamp;
use std::time::Duration;

/// An instant: milliseconds since 1970 in UTC, as the tables hold it.
pub type Milliseconds = i64;

/// The system's clock, moved by an offset in test builds so that "after a day" needs no day.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    offset_milliseconds: i64,
}

impl Clock {
    /// A clock that runs the given number of seconds ahead (or behind, when negative).
    pub fn with_offset_seconds(seconds: i64) -> Self {
        Self {
            offset_milliseconds: seconds.saturating_mul(1_000),
        }
    }

    /// Now.
    pub fn now(self) -> Milliseconds {
        Timestamp::now()
            .as_millisecond()
            .saturating_add(self.offset_milliseconds)
    }
}

/// A duration in the tables' unit, capped at the type's end.
pub fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Writes an instant as RFC 3339 in UTC with milliseconds.
pub fn rfc3339(at: Milliseconds) -> String {
    Timestamp::from_millisecond(at).map_or_else(|_| String::new(), |at| format!("{at:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc_with_milliseconds() {
        assert_eq!(rfc3339(1_764_580_000_120), "2025-12-01T09:06:40.120Z");
    }
}
