//! One field: what may stand in it.

use app::pages::data::{FieldError, FieldErrorCode};
use unicode_normalization::UnicodeNormalization as _;

/// A field as sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RawField {
    /// Not there, or null.
    #[default]
    Missing,
    /// A text.
    Text(String),
    /// A whole number that fits.
    Number(i64),
    /// Anything else: a fraction, a list, a number that does not fit.
    Other,
}

impl RawField {
    /// The whole number that it is. A form has only texts, so its reader turns digits into numbers; a text of the API is none.
    pub fn whole_number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A form's text as a number, if it is written in digits the one way: no sign, no leading zero, no white space.
    pub fn digits(text: &str) -> Self {
        let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
        match text.parse() {
            Ok(number) if plain => Self::Number(number),
            _ => Self::Other,
        }
    }
}

/// A text without the white space around it, with line ends as `\n`.
pub fn clean_text(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").trim().to_owned()
}

/// The composed form (NFC) of a text: a letter and its accent, typed apart or together, mean the same.
pub fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// Characters that no honest form sends: controls other than the line end, and those that turn the direction of the text around
/// them, so that a page would show something else than what is stored.
fn is_forbidden(letter: char) -> bool {
    (letter.is_control() && letter != '\n' && letter != '\t')
        || matches!(letter, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// A text that may be empty or missing.
pub fn optional_text(field: &str, raw: RawField, maximum: usize, errors: &mut Vec<FieldError>) -> String {
    let mut refuse = |code| {
        errors.push(FieldError {
            field: field.to_owned(),
            code,
        })
    };
    let text = match raw {
        RawField::Missing => String::new(),
        RawField::Text(text) => clean_text(&text),
        RawField::Number(_) | RawField::Other => {
            refuse(FieldErrorCode::NotAText);
            return String::new();
        }
    };
    if text.chars().any(is_forbidden) {
        refuse(FieldErrorCode::ForbiddenCharacter);
    } else if text.chars().count() > maximum {
        refuse(FieldErrorCode::TooLong { maximum });
    }
    text
}

/// A text that must say something.
pub fn required_text(field: &str, raw: RawField, maximum: usize, errors: &mut Vec<FieldError>) -> String {
    let errors_before = errors.len();
    let text = optional_text(field, raw, maximum, errors);
    if text.is_empty() && errors.len() == errors_before {
        errors.push(FieldError {
            field: field.to_owned(),
            code: FieldErrorCode::Required,
        });
    }
    text
}

/// A telephone number: 5 to 20 digits, with spaces, hyphens, parentheses and one leading plus.
pub fn phone_number(field: &str, raw: RawField, maximum: usize, errors: &mut Vec<FieldError>) -> String {
    let errors_before = errors.len();
    let text = required_text(field, raw, maximum, errors);
    let rest = text.strip_prefix('+').unwrap_or(&text);
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    let plain = rest
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b' ' | b'-' | b'(' | b')'));
    if errors.len() == errors_before && !(plain && (5..=20).contains(&digits)) {
        errors.push(FieldError {
            field: field.to_owned(),
            code: FieldErrorCode::NotAPhoneNumber,
        });
    }
    text
}
