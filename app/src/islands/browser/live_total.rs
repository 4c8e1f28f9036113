//! The total while typing, by the same function that prices the order.

use super::dom::{self, Page};
use crate::pricing::{MAX_PIECES_PER_LINE, PricedLine, Quote, format_yuan, quote};
use web_sys::Element;

/// Shows what stands in the form.
pub fn show(page: &Page) {
    let Ok(list) = page.document.query_selector_all("[data-line]") else {
        return;
    };
    let lines: Vec<Option<PricedLine>> = dom::elements(&list).map(|element| show_line(&element)).collect();
    let priced: Option<Vec<PricedLine>> = lines.into_iter().collect();
    match priced.and_then(|lines| quote(&lines, coupon_discount_fen(page))) {
        Some(quote) => show_quote(page, quote),
        None => {
            page.set_text("subtotal", "—");
            page.show("discount-row", false);
            page.set_text("total", &page.text("data-text-unknown"));
        }
    }
}

fn show_line(element: &Element) -> Option<PricedLine> {
    let line = read_line(element);
    let total = line
        .and_then(PricedLine::total_fen)
        .map(|fen| yuan("", fen))
        .unwrap_or_default();
    if let Ok(Some(output)) = element.query_selector("[data-line-total]") {
        dom::set_text(&output, &total);
    }
    line
}

fn read_line(element: &Element) -> Option<PricedLine> {
    let unit_price_fen = dom::value_in(element, "input[name=unit_price_fen]")?.parse().ok()?;
    let quantity = dom::value_in(element, "input[name=qty]")?.trim().parse().ok()?;
    (1..=MAX_PIECES_PER_LINE).contains(&quantity).then_some(PricedLine {
        unit_price_fen,
        quantity,
    })
}

/// What the coupon takes off, as long as the field still holds the coupon that the server looked at.
fn coupon_discount_fen(page: &Page) -> i64 {
    let typed = dom::value_in(&page.form, "#coupon").unwrap_or_default();
    if typed.trim() != page.text("data-coupon") {
        return 0;
    }
    page.text("data-coupon-discount-fen").parse().unwrap_or(0)
}

fn show_quote(page: &Page, quote: Quote) {
    page.set_text("subtotal", &yuan("", quote.subtotal_fen));
    page.set_text("discount", &yuan("−", quote.discount_fen));
    page.show("discount-row", quote.discount_fen > 0);
    page.set_text("total", &yuan("", quote.total_fen));
}

fn yuan(sign: &str, fen: i64) -> String {
    [sign, "¥", &format_yuan(fen)].concat()
}
