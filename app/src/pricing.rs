//! The one pricing function, shared by the page's live total and the server's order.
//!
//! Money is a whole number of fen in an `i64`; every step is checked. The stated maxima keep an honest order far from the edge
//! of the type, so `None` from [`quote`] means a request that no page of ours could have made.

/// Most pieces of one product in one order.
pub const MAX_PIECES_PER_LINE: i64 = 99;

/// Most lines in one order, as sent: before lines of the same product are added up.
pub const MAX_LINES: usize = 50;

/// Highest price of one piece: 1,000,000.00 CNY in fen.
pub const MAX_UNIT_PRICE_FEN: i64 = 100_000_000;

/// One product and how many pieces of it, with the price of a piece in fen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PricedLine {
    /// Price of one piece in fen.
    pub unit_price_fen: i64,
    /// Number of pieces.
    pub quantity: i64,
}

impl PricedLine {
    /// Price of the line in fen; `None` when it does not fit or an input is negative.
    pub fn total_fen(self) -> Option<i64> {
        if self.unit_price_fen < 0 || self.quantity < 0 {
            return None;
        }
        self.unit_price_fen.checked_mul(self.quantity)
    }
}

/// What an order costs, in fen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quote {
    /// Sum of the lines.
    pub subtotal_fen: i64,
    /// What the coupon takes off: never more than the subtotal.
    pub discount_fen: i64,
    /// What the buyer pays: subtotal less discount, never negative.
    pub total_fen: i64,
}

/// Adds up lines and takes the coupon's discount off. `None` on overflow or a negative input.
pub fn quote(lines: &[PricedLine], coupon_discount_fen: i64) -> Option<Quote> {
    if coupon_discount_fen < 0 {
        return None;
    }
    let subtotal_fen = lines
        .iter()
        .try_fold(0_i64, |sum, line| sum.checked_add(line.total_fen()?))?;
    let discount_fen = coupon_discount_fen.min(subtotal_fen);
    Some(Quote {
        subtotal_fen,
        discount_fen,
        total_fen: subtotal_fen - discount_fen,
    })
}

/// Writes fen as yuan with two decimals, without a float: `1990` is `19.90`.
pub fn format_yuan(fen: i64) -> String {
    let sign = if fen < 0 { "-" } else { "" };
    let fen = fen.unsigned_abs();
    format!("{sign}{}.{:02}", fen / 100, fen % 100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(unit_price_fen: i64, quantity: i64) -> PricedLine {
        PricedLine {
            unit_price_fen,
            quantity,
        }
    }

    #[test]
    fn awkward_prices_stay_whole_fen_for_one_to_nine_pieces() {
        for price in [3, 29, 167, 268, 880, 980, 1990] {
            for quantity in 1..=9 {
                let quote = quote(&[line(price, quantity)], 0).unwrap();
                assert_eq!(quote.total_fen, price * quantity);
            }
        }
        assert_eq!(format_yuan(1990), "19.90");
        assert_eq!(format_yuan(3), "0.03");
        assert_eq!(format_yuan(-5), "-0.05");
    }

    #[test]
    fn a_discount_larger_than_the_subtotal_leaves_zero_never_less() {
        let quote = quote(&[line(3000, 1)], 5000).unwrap();
        assert_eq!(
            quote,
            Quote {
                subtotal_fen: 3000,
                discount_fen: 3000,
                total_fen: 0
            }
        );
    }

    #[test]
    fn an_overflow_is_no_price_at_all() {
        assert_eq!(quote(&[line(i64::MAX, 2)], 0), None);
        assert_eq!(quote(&[line(i64::MAX, 1), line(1, 1)], 0), None);
        assert_eq!(quote(&[line(-1, 1)], 0), None);
        assert_eq!(quote(&[line(1, -1)], 0), None);
        assert_eq!(quote(&[line(1, 1)], -1), None);
    }

    proptest! {
        #[test]
        fn a_quote_always_adds_up(
            lines in prop::collection::vec((0..=MAX_UNIT_PRICE_FEN, 1..=MAX_PIECES_PER_LINE), 1..MAX_LINES),
            discount in 0..=MAX_UNIT_PRICE_FEN,
        ) {
            let lines: Vec<_> = lines.into_iter().map(|(price, quantity)| line(price, quantity)).collect();
            let quote = quote(&lines, discount).unwrap();
            prop_assert_eq!(quote.subtotal_fen - quote.discount_fen, quote.total_fen);
            prop_assert!(quote.total_fen >= 0 && quote.discount_fen >= 0);
        }
    }
}
