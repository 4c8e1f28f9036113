//! Amounts as providers write them: exact decimals, never a float.

use rust_decimal::{Decimal, prelude::ToPrimitive as _};
use serde::{Deserialize as _, Deserializer, de::Error as _};
use serde_json::value::RawValue;

/// The only currency of this shop, ISO 4217.
pub const CURRENCY: &str = "CNY";

/// Reads yuan in decimal digits as whole fen: `199`, `199.0` and `199.000` are 19900. None for parts of a fen, negative amounts, and
/// whatever is not plain digits.
pub fn fen_of_yuan(yuan: &str) -> Option<i64> {
    whole(yuan, Decimal::ONE_HUNDRED)
}

/// Reads a JSON number of fen. `19900` and `19900.0` are the same amount; parts of a fen are none.
pub fn fen<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let number = Box::<RawValue>::deserialize(deserializer)?;
    whole(number.get(), Decimal::ONE).ok_or_else(|| D::Error::custom("not a whole number of fen"))
}

fn whole(text: &str, factor: Decimal) -> Option<i64> {
    let plain = text.starts_with(|first: char| first.is_ascii_digit())
        && text.ends_with(|last: char| last.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !plain {
        return None;
    }
    // `from_str_exact` refuses what it would have to round.
    let amount = Decimal::from_str_exact(text).ok()?.checked_mul(factor)?;
    if amount.is_integer() { amount.to_i64() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use app::pricing::format_yuan;
    use proptest::prelude::*;

    #[test]
    fn equal_numbers_are_equal_amounts_however_they_are_written() {
        for text in ["199", "199.0", "199.00", "199.000", "0199.00"] {
            assert_eq!(fen_of_yuan(text), Some(19_900), "{text}");
        }
        assert_eq!(fen_of_yuan("0.01"), Some(1));
        assert_eq!(fen_of_yuan("19.99"), Some(1_999));
    }

    #[test]
    fn what_is_no_whole_number_of_fen_is_no_amount() {
        for text in [
            "",
            ".",
            "1.999",
            "0.001",
            "-1.00",
            "+1.00",
            "1e2",
            "1,00",
            "1_0",
            " 1",
            "1.",
            ".5",
            "1.2.3",
            "NaN",
            "١",
            "99999999999999999999999999",
            "92233720368547758.08",
        ] {
            assert_eq!(fen_of_yuan(text), None, "{text}");
        }
        assert_eq!(fen_of_yuan("92233720368547758.07"), Some(i64::MAX));
    }

    proptest! {
        #[test]
        fn what_the_shop_writes_reads_back(fen in 0..=i64::MAX) {
            prop_assert_eq!(fen_of_yuan(&format_yuan(fen)), Some(fen));
        }

        #[test]
        fn no_text_is_too_strange(text in ".{0,40}") {
            let _ = fen_of_yuan(&text);
        }
    }
}
