//! Small pieces that several pages show: money, times, status badges, paths.

use crate::{pricing::format_yuan, texts::Texts};
use jiff::{Timestamp, tz};
use leptos::prelude::*;

/// China has one zone without daylight saving, so no table of zones is needed to show its time.
const CHINA: tz::Offset = tz::Offset::constant(8);

/// Fen as the buyer reads it: `¥19.90`.
pub fn price(texts: Texts, fen: i64) -> String {
    texts.with("price", &[("amount", format_yuan(fen).into())])
}

/// An instant in China time, with the instant itself in UTC for machines. Shows what it got when that is no instant.
pub fn time(texts: Texts, rfc3339: &str) -> AnyView {
    let Ok(instant) = rfc3339.parse::<Timestamp>() else {
        return rfc3339.to_owned().into_any();
    };
    let local = CHINA.to_datetime(instant).strftime("%Y-%m-%d %H:%M").to_string();
    view! { <time datetime=instant.to_string()>{texts.with("time-zone", &[("time", local.into())])}</time> }.into_any()
}

/// A status as a badge. A status without a text shows its own name.
pub fn status_badge(texts: Texts, status: &str) -> AnyView {
    view! {
        <span class="badge" data-status=status.to_owned()>
            {status_text(texts, status)}
        </span>
    }
    .into_any()
}

/// A status in words.
pub fn status_text(texts: Texts, status: &str) -> String {
    texts
        .find(&format!("status-{status}"))
        .unwrap_or_else(|| status.to_owned())
}

/// An order number in groups of four that copy as one word. A number that brings its own hyphens stays as it is.
pub fn order_number(order_no: &str) -> AnyView {
    if order_no.contains('-') {
        return view! { <span class="order-number">{order_no.to_owned()}</span> }.into_any();
    }
    let letters: Vec<char> = order_no.chars().collect();
    let groups: Vec<String> = letters.chunks(4).map(|group| group.iter().collect()).collect();
    view! {
        <span class="order-number">
            {groups.into_iter().map(|group| view! { <span>{group}</span> }).collect_view()}
        </span>
    }
    .into_any()
}

/// A payment channel as buyers call it. A channel without a text shows its own name.
pub fn channel_name(texts: Texts, channel: &str) -> String {
    texts
        .find(&format!("channel-{channel}"))
        .unwrap_or_else(|| channel.to_owned())
}

/// An address that a link may lead to. What a payment channel sends is not ours, and `javascript:` is an address too.
pub fn web_address(address: &str) -> Option<String> {
    let is_web = ["https://", "http://"].iter().any(|scheme| address.starts_with(scheme));
    is_web.then(|| address.to_owned())
}

/// A query value or path segment: everything but letters, digits and `-._~` is escaped.
pub fn url_part(text: &str) -> String {
    text.bytes().fold(String::new(), |mut url, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            url.push(char::from(byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
        url
    })
}

/// Path of a product's order form, which is also where that form posts to.
pub fn form_path(sku: &str) -> String {
    format!("/order/new?sku={}", url_part(sku))
}

/// Path of an order's page.
pub fn order_path(order_no: &str) -> String {
    format!("/orders/{}", url_part(order_no))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::data::Language;

    #[test]
    fn a_deadline_shows_china_time_and_holds_utc() {
        let texts = Texts::of(Language::English);
        assert_eq!(
            time(texts, "2026-12-01T10:05:59.123Z").to_html(),
            r#"<time datetime="2026-12-01T10:05:59.123Z">2026-12-01 18:05 (UTC+8)</time>"#
        );
        assert!(
            time(texts, "2026-12-31T16:00:00Z")
                .to_html()
                .contains("2027-01-01 00:00")
        );
    }

    #[test]
    fn a_link_leads_to_the_web_and_nowhere_else() {
        assert_eq!(
            web_address("https://pay.example/1").as_deref(),
            Some("https://pay.example/1")
        );
        for address in [
            "javascript:alert(1)",
            "weixin://wxpay/1",
            "//pay.example",
            " https://x",
            "",
        ] {
            assert_eq!(web_address(address), None, "{address}");
        }
    }

    #[test]
    fn what_goes_into_a_url_cannot_leave_its_place() {
        assert_eq!(form_path("SKU-1&a=\"><é"), "/order/new?sku=SKU-1%26a%3D%22%3E%3C%C3%A9");
    }
}
