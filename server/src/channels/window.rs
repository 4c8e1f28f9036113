//! What signed messages of every provider have in common: headers that come once, and a time of signing that must be near.

use crate::clock::Milliseconds;
use axum::http::{HeaderMap, HeaderName};
use jiff::{Timestamp, civil::DateTime, tz::Offset};

/// How far a time of signing may be from now, before or behind; at this distance a message is refused.
///
/// A captured message is worth nothing afterwards. Until then it is harmless, because what it says happens once.
pub const WINDOW: Milliseconds = 300_000;

/// Whether a time of signing, in seconds since 1970, is near enough.
pub fn is_near(seconds: i64, now: Milliseconds) -> bool {
    let distance = now.saturating_sub(seconds.saturating_mul(1_000));
    distance.unsigned_abs() < WINDOW.unsigned_abs()
}

/// Reads whole seconds since 1970: decimal digits and nothing else.
pub fn seconds(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// The value of a header that must come exactly once, not empty and in visible characters.
pub fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?.trim();
    (values.next().is_none() && !value.is_empty()).then_some(value)
}

/// An instant on the clocks of China, which both Chinese providers mean; parts of a second are cut off, so that a deadline never
/// moves backwards.
pub fn in_china(at: Milliseconds) -> DateTime {
    let whole_seconds = Timestamp::from_second(at.div_euclid(1_000)).unwrap_or(Timestamp::MAX);
    Offset::constant(8).to_datetime(whole_seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn the_window_is_open_below_300_seconds_on_both_sides() {
        let now = 1_767_196_806_000;
        for (offset, near) in [(0, true), (299, true), (300, false), (301, false), (86_400, false)] {
            assert_eq!(is_near(1_767_196_806 - offset, now), near, "{offset} s ago");
            assert_eq!(is_near(1_767_196_806 + offset, now), near, "in {offset} s");
        }
        assert!(!is_near(i64::MAX, now));
        assert!(!is_near(now, now), "milliseconds are no seconds");
    }

    #[test]
    fn seconds_are_digits_only() {
        assert_eq!(seconds("1767196806"), Some(1_767_196_806));
        for text in ["", "abc", "-5", "+5", "1.0", "1e9", " 1", "99999999999999999999"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn a_header_that_comes_twice_is_none() {
        let mut headers = HeaderMap::new();
        assert_eq!(only(&headers, "a"), None);
        headers.append("a", HeaderValue::from_static(" x "));
        assert_eq!(only(&headers, "a"), Some("x"));
        headers.append("a", HeaderValue::from_static("y"));
        assert_eq!(only(&headers, "a"), None);
    }

    #[test]
    fn china_is_eight_hours_ahead_of_utc() {
        assert_eq!(in_china(1_764_580_000_999).to_string(), "2025-12-01T17:06:40");
    }
}
