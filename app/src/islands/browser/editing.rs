//! Edits of the form (add, remove, recalculate) without leaving the page: the server renders, its fragments are put in place.
//!
//! Whatever does not fit (no answer, another token, another page) goes the plain way, which always works.

use super::{
    Guard,
    dom::{self, Page},
    http, live_total,
};
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlElement, HtmlInputElement};

/// Posts the edit and shows its outcome. The caller holds the lock; it is given back here.
pub async fn run(guard: &Guard, edit: &str) {
    let page = &guard.page;
    let before = Typed::read(page);
    page.say(&page.text("data-text-editing"));
    let done = match answer(page, edit).await {
        Some(answer) => replace(page, &answer, &before),
        None => None,
    };
    if done.is_none() {
        post_plainly(page, edit);
    }
    guard.locked.set(false);
}

/// The page that the server made of the edited form.
async fn answer(page: &Page, edit: &str) -> Option<Document> {
    let body = http::body(&page.form, Some(("edit", edit)))?;
    // The attribute, because the property `action` would be a field of that name.
    let url = page.form.get_attribute("action")?;
    let response = http::post(&page.window, &url, &body, &[("Accept", "text/html")]).await?;
    http::parse(&http::text(&response).await?)
}

/// Puts the fragments of the answer in place, keeping what was typed meanwhile and where the focus was.
fn replace(page: &Page, answer: &Document, before: &Typed) -> Option<()> {
    let new_form = answer.get_element_by_id("order-form")?;
    // The token is the page's: code never swaps it.
    if dom::token_of(&new_form)? != page.token() {
        return None;
    }
    let list = page.document.query_selector_all("[data-fragment]").ok()?;
    let fragments: Vec<(Element, Element)> = dom::elements(&list)
        .map(|old| answer.get_element_by_id(&old.id()).map(|new| (old, new)))
        .collect::<Option<_>>()?;
    let focused = page.document.active_element();
    let now = Typed::read(page);
    for (old, new) in fragments {
        old.set_inner_html(&new.inner_html());
    }
    for name in ["data-coupon", "data-coupon-discount-fen"] {
        let _ = match new_form.get_attribute(name) {
            Some(value) => page.form.set_attribute(name, &value),
            None => page.form.remove_attribute(name),
        };
    }
    page.document.set_title(&answer.title());
    now.write_what_changed_since(page, before);
    live_total::show(page);
    let spoken = page
        .by_id("form-messages")
        .and_then(|region| region.text_content())
        .unwrap_or_default();
    // The messages are a live region of their own: two at once would talk over each other.
    page.say(&if spoken.is_empty() {
        page.text("data-text-edited")
    } else {
        String::new()
    });
    place_focus(page, focused, now.quantities.len());
    Some(())
}

/// To the quantity that was added, else back to where it was, else to the lines.
fn place_focus(page: &Page, focused: Option<Element>, lines_before: usize) {
    let lines = quantities(page);
    let added = (lines.len() > lines_before)
        .then(|| lines.last().cloned())
        .flatten()
        .map(HtmlElement::from);
    let again = focused
        .map(|element| element.id())
        .filter(|id| !id.is_empty())
        .and_then(|id| page.by_id(&id));
    if let Some(element) = added.or(again).or_else(|| page.by_id("order-lines")) {
        let _ = element.focus();
    }
}

/// What stands in the inputs that an edit replaces.
struct Typed {
    quantities: Vec<(String, String)>,
    coupon: String,
}

impl Typed {
    fn read(page: &Page) -> Self {
        let quantities = quantities(page)
            .iter()
            .map(|input| (sku_of(input), input.value()))
            .collect();
        Self {
            quantities,
            coupon: dom::value_in(&page.form, "#coupon").unwrap_or_default(),
        }
    }

    /// Puts back what changed while the server was at work on the text from before.
    fn write_what_changed_since(&self, page: &Page, before: &Self) {
        for input in quantities(page) {
            let sku = sku_of(&input);
            let find = |typed: &Self| {
                typed
                    .quantities
                    .iter()
                    .find(|line| line.0 == sku)
                    .map(|line| line.1.clone())
            };
            if let (Some(now), Some(then)) = (find(self), find(before))
                && now != then
            {
                input.set_value(&now);
            }
        }
        if self.coupon != before.coupon
            && let Some(input) = page
                .by_id("coupon")
                .and_then(|input| input.dyn_into::<HtmlInputElement>().ok())
        {
            input.set_value(&self.coupon);
        }
    }
}

fn quantities(page: &Page) -> Vec<HtmlInputElement> {
    let list = page.document.query_selector_all("[data-line] input[name=qty]");
    list.iter()
        .flat_map(dom::elements)
        .filter_map(|element| element.dyn_into().ok())
        .collect()
}

fn sku_of(input: &HtmlInputElement) -> String {
    let line = input.closest("[data-line]").ok().flatten();
    line.and_then(|line| line.get_attribute("data-sku")).unwrap_or_default()
}

/// The form with the pressed button, as the browser would have sent it.
fn post_plainly(page: &Page, edit: &str) {
    let Ok(field) = page.document.create_element("input") else {
        return;
    };
    for (name, value) in [("type", "hidden"), ("name", "edit"), ("value", edit)] {
        let _ = field.set_attribute(name, value);
    }
    let _ = page.form.append_child(&field);
    let _ = page.form.submit();
    // What is sent was read at once; left there, the field would turn the next order into an edit.
    field.remove();
}
