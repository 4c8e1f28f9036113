//! Step 1: the idempotency key, from wherever the request carries it.
//!
//! Three places: header `X-Submit-Token`, header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header: a quoted
//! structured-field string; the bare form that most clients send means the same key), hidden field `submit_token`.

use crate::{
    problem::{Problem, ProblemKind},
    tokens::MAXIMUM_KEY_LENGTH,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

const SUBMIT_TOKEN: HeaderName = HeaderName::from_static("x-submit-token");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The one key of a request. None, several or a malformed one are refused; a key is never made up.
pub fn take(headers: &HeaderMap, field: Option<&str>) -> Result<String, Problem> {
    let mut keys = Vec::new();
    if let Some(value) = only(headers, &SUBMIT_TOKEN)? {
        keys.push(bare(value)?);
    }
    if let Some(value) = only(headers, &IDEMPOTENCY_KEY)? {
        keys.push(if value.as_bytes().starts_with(b"\"") {
            quoted(value)?
        } else {
            bare(value)?
        });
    }
    if let Some(value) = field {
        keys.push(checked(value, is_bare)?);
    }
    let Some(key) = keys.pop() else {
        return Err(Problem::new(
            ProblemKind::MissingKey,
            "Send X-Submit-Token, Idempotency-Key or the form's hidden field. The shop never makes a key up.",
        ));
    };
    if keys.iter().any(|other| *other != key) {
        return Err(Problem::new(
            ProblemKind::KeyMismatch,
            "The request carries different keys. Both can still be used.",
        ));
    }
    Ok(key)
}

fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h HeaderValue>, Problem> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Problem::new(
            ProblemKind::KeyMismatch,
            format!("The header {name} is given more than once."),
        ));
    }
    Ok(first)
}

fn bare(value: &HeaderValue) -> Result<String, Problem> {
    checked(value.to_str().map_err(|_| malformed())?, is_bare)
}

fn quoted(value: &HeaderValue) -> Result<String, Problem> {
    let item: sfv::Item = sfv::Parser::new(value.as_bytes()).parse().map_err(|_| malformed())?;
    match item.bare_item {
        sfv::BareItem::String(text) => checked(text.as_str(), |byte| (b' '..=b'~').contains(&byte)),
        _ => Err(malformed()),
    }
}

/// Characters of a bare key: visible ASCII without those that separate or quote in a structured field.
fn is_bare(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b',' | b';' | b'\\')
}

fn checked(key: &str, allowed: impl Fn(u8) -> bool) -> Result<String, Problem> {
    let good = !key.trim().is_empty() && key.len() <= MAXIMUM_KEY_LENGTH && key.bytes().all(allowed);
    good.then(|| key.to_owned()).ok_or_else(malformed)
}

fn malformed() -> Problem {
    Problem::new(
        ProblemKind::MalformedKey,
        format!("A key has 1 to {MAXIMUM_KEY_LENGTH} visible ASCII characters; spaces only when it is quoted."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    fn kind_of(result: Result<String, Problem>) -> ProblemKind {
        result.unwrap_err().kind
    }

    #[test]
    fn the_quoted_and_the_bare_form_are_the_same_key() {
        for value in ["\"abc\"", "abc", "\"abc\";version=1"] {
            assert_eq!(take(&headers(&[("idempotency-key", value)]), None).unwrap(), "abc");
        }
    }

    #[test]
    fn the_same_key_in_all_places_is_one_key() {
        let headers = headers(&[("x-submit-token", "abc"), ("idempotency-key", "\"abc\"")]);
        assert_eq!(take(&headers, Some("abc")).unwrap(), "abc");
    }

    #[test]
    fn no_key_is_never_made_up() {
        assert_eq!(kind_of(take(&HeaderMap::new(), None)), ProblemKind::MissingKey);
    }

    #[test]
    fn different_keys_or_one_header_twice_are_refused() {
        assert_eq!(
            kind_of(take(&headers(&[("x-submit-token", "a")]), Some("b"))),
            ProblemKind::KeyMismatch
        );
        let twice = headers(&[("idempotency-key", "a"), ("idempotency-key", "a")]);
        assert_eq!(kind_of(take(&twice, None)), ProblemKind::KeyMismatch);
    }

    #[test]
    fn malformed_keys_are_refused() {
        let long = "a".repeat(129);
        for value in [
            "",
            "   ",
            "a b",
            "a\tb",
            "a, b",
            "\"a",
            "\"a\"b",
            "键",
            "\"a\", \"b\"",
            long.as_str(),
            "\"\"",
        ] {
            assert_eq!(
                kind_of(take(&headers(&[("idempotency-key", value)]), None)),
                ProblemKind::MalformedKey,
                "{value}"
            );
        }
        assert!(take(&headers(&[("idempotency-key", &"a".repeat(128))]), None).is_ok());
        assert_eq!(kind_of(take(&HeaderMap::new(), Some(""))), ProblemKind::MalformedKey);
    }

    proptest! {
        #[test]
        fn no_header_makes_the_reader_panic(value in prop::collection::vec(0x20..=0x7e_u8, 0..300)) {
            let mut headers = HeaderMap::new();
            headers.insert("idempotency-key", HeaderValue::from_bytes(&value).unwrap());
            if let Ok(key) = take(&headers, None) {
                prop_assert!(key.len() <= MAXIMUM_KEY_LENGTH);
            }
        }
    }
}
