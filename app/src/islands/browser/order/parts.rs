//! Puts the parts of a newer page in place of the older ones, around whatever the buyer is doing.

use super::{Live, dom, version_of};
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlElement, HtmlInputElement};

/// What the buyer still needs as it is: text to mend, put there by the server, and a form whose press has not been answered yet. A
/// refund asked for again must be the same refund, so its number has to stay.
const KEPT: &str = "[data-keep]";

/// Shows what the newer page has to say. True if a part was kept back because the buyer is in it.
pub fn show(live: &Live, newer: &Document) -> bool {
    let Some(new_order) = newer.get_element_by_id("order") else {
        return false;
    };
    // Answers can overtake each other; the page never goes back.
    let version = version_of(&new_order);
    let shown = live.shown();
    if version < shown {
        return false;
    }
    let mut kept_back = false;
    let focused_before = focused(live);
    for part in all(&live.order, "[data-live]") {
        let name = part.get_attribute("data-live").unwrap_or_default();
        let Ok(Some(new_part)) = new_order.query_selector(&format!("[data-live=\"{name}\"]")) else {
            continue;
        };
        if part.inner_html() == new_part.inner_html() {
            continue;
        }
        if is_in_use(live, &part) && offers_the_same(&part, &new_part) {
            kept_back = true;
        } else {
            replace(&part, &new_part);
        }
    }
    for name in ["data-version", "data-announcement"] {
        if let Some(value) = new_order.get_attribute(name) {
            let _ = live.order.set_attribute(name, &value);
        }
    }
    // What the focus was on may be gone: it must not fall off the page.
    if let Some(before) = focused_before
        && focused(live).is_none()
    {
        place_focus(live, &before.id());
    }
    if version > shown {
        forget_the_last_press(live);
        announce(live);
    }
    kept_back
}

/// Whether the buyer is in this part: with the focus, or with something typed or pressed that has had no effect yet.
fn is_in_use(live: &Live, part: &Element) -> bool {
    let has_focus = focused(live).is_some_and(|element| part.contains(Some(&element)));
    has_focus || all(part, KEPT).next().is_some() || all(part, "input").any(|input| is_edited(&input))
}

/// What stands in the input is not what the server put there.
fn is_edited(input: &Element) -> bool {
    input
        .dyn_ref::<HtmlInputElement>()
        .is_some_and(|input| input.value() != input.default_value())
}

/// Whether each form of the part is still there in the newer one. A part without forms holds nothing that could be lost.
fn offers_the_same(part: &Element, newer: &Element) -> bool {
    let mut forms = all(part, "form").peekable();
    forms.peek().is_some() && forms.all(|form| matches!(newer.query_selector(&format!("#{}", form.id())), Ok(Some(_))))
}

/// Replaces the inside, and leaves open what was open.
fn replace(part: &Element, newer: &Element) {
    let open: Vec<String> = all(part, "details[open]").map(|details| details.id()).collect();
    part.set_inner_html(&newer.inner_html());
    for id in open {
        if let Ok(Some(details)) = part.query_selector(&format!("#{id}")) {
            let _ = details.set_attribute("open", "");
        }
    }
}

/// The element with the focus, if it is inside the order.
fn focused(live: &Live) -> Option<Element> {
    live.document
        .active_element()
        .filter(|element| live.order.contains(Some(element)))
}

/// To what took the place of the element, else to the heading, which says where the order stands.
fn place_focus(live: &Live, id: &str) {
    let again = live.document.get_element_by_id(id);
    let target = again.or_else(|| live.document.get_element_by_id("order-heading"));
    if let Some(target) = target.and_then(|target| target.dyn_into::<HtmlElement>().ok()) {
        let _ = target.focus();
    }
}

/// What the last press came to is about an order that has moved on, unless the buyer still has to mend what was typed.
fn forget_the_last_press(live: &Live) {
    if let Some(messages) = live.document.get_element_by_id("order-messages")
        && all(&live.order, KEPT).next().is_none()
    {
        messages.set_inner_html("");
    }
}

fn announce(live: &Live) {
    let said = live.order.get_attribute("data-announcement").unwrap_or_default();
    if let Some(region) = live.document.get_element_by_id("order-announcement") {
        region.set_text_content(Some(&said));
    }
}

fn all(parent: &Element, selector: &str) -> impl Iterator<Item = Element> {
    let list = parent.query_selector_all(selector).ok();
    let elements: Vec<Element> = list.iter().flat_map(dom::elements).collect();
    elements.into_iter()
}
