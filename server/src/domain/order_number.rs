//! Order numbers: `OM-7K3F-9QWX-2MHD`. Sixty random bits, so that no number leads to the next; Crockford's base 32, which has no
//! letter that is mistaken for a digit when read aloud; 17 characters.

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Random bits in a number.
const BITS: u32 = 60;

/// Writes the number that 60 random bits stand for; higher bits are not looked at.
pub fn order_number(random: u64) -> String {
    let mut text = String::with_capacity(17);
    text.push_str("OM");
    for (index, shift) in (0..BITS).step_by(5).rev().enumerate() {
        if index % 4 == 0 {
            text.push('-');
        }
        text.push(char::from(ALPHABET[((random >> shift) & 31) as usize]));
    }
    text
}

/// Whether a text could be an order number, so that nothing else reaches the database.
pub fn is_order_number(text: &str) -> bool {
    text.len() == 17
        && text.bytes().enumerate().all(|(index, byte)| match index {
            0 => byte == b'O',
            1 => byte == b'M',
            2 | 7 | 12 => byte == b'-',
            _ => ALPHABET.contains(&byte),
        })
}

/// The number of an order's payment: the channel's key. The order can be read off it: `OM-7K3F-9QWX-2MHD-W1`.
pub fn payment_number(order_no: &str, channel_letter: char, ordinal: i64) -> String {
    format!("{order_no}-{channel_letter}{ordinal}")
}

/// The order that a number at a channel belongs to: an order's own number, or one that begins with it and a hyphen.
pub fn order_of_number(number: &str) -> Option<&str> {
    let (order_no, rest) = number.split_at_checked(17)?;
    (is_order_number(order_no) && (rest.is_empty() || rest.starts_with('-'))).then_some(order_no)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_is_grouped_and_short() {
        assert_eq!(order_number(0), "OM-0000-0000-0000");
        assert_eq!(order_number(u64::MAX), "OM-ZZZZ-ZZZZ-ZZZZ");
        assert_eq!(order_number(1).len(), 17);
    }

    #[test]
    fn other_texts_are_not_numbers() {
        for text in [
            "",
            "OM-0000-0000-000",
            "OM-0000-0000-000I",
            "om-0000-0000-0000",
            "../../etc/passwd/",
            "OM-0000-0000-0000 ",
        ] {
            assert!(!is_order_number(text), "{text}");
        }
    }

    #[test]
    fn a_payment_names_its_order() {
        let number = payment_number("OM-0000-0000-0001", 'W', 2);
        assert_eq!(number, "OM-0000-0000-0001-W2");
        assert_eq!(order_of_number(&number), Some("OM-0000-0000-0001"));
        assert_eq!(order_of_number("OM-0000-0000-0001"), Some("OM-0000-0000-0001"));
        for other in [
            "",
            "NOPE-1",
            "OM-0000-0000-00012",
            "键键键键键键键键键",
            "OM-0000-0000-000I-W1",
        ] {
            assert_eq!(order_of_number(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn different_bits_are_different_numbers(a in 0..1_u64 << BITS, b in 0..1_u64 << BITS) {
            prop_assert!(is_order_number(&order_number(a)));
            prop_assert_eq!(a == b, order_number(a) == order_number(b));
        }
    }
}
