//! The form in the page (finding its parts, showing states, texts from its data attributes), and what every page needs.

use js_sys::{Function, Promise};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Document, Element, Event, EventTarget, HtmlElement, HtmlFormElement, HtmlInputElement, NodeList, Window,
};

/// Parts of the page that a running order keeps from being changed: what was sent must be what is seen.
const LOCKABLE: &str = "#order-form fieldset, #coupon-box, #order-summary";

/// The page that holds the order form.
pub struct Page {
    pub window: Window,
    pub document: Document,
    pub form: HtmlFormElement,
    /// What the button says when nothing is going on.
    button_text: String,
}

impl Page {
    /// The page, if it holds an order form.
    pub fn find() -> Option<Self> {
        let window = web_sys::window()?;
        let document = window.document()?;
        let form = document.get_element_by_id("order-form")?.dyn_into().ok()?;
        let button_text = document
            .get_element_by_id("place-order")?
            .text_content()
            .unwrap_or_default();
        Some(Self {
            window,
            document,
            form,
            button_text,
        })
    }

    /// An element by its id.
    pub fn by_id(&self, id: &str) -> Option<HtmlElement> {
        self.document.get_element_by_id(id)?.dyn_into().ok()
    }

    /// The form's submit token.
    pub fn token(&self) -> String {
        token_of(&self.form).unwrap_or_default()
    }

    /// A text that the server put on the form.
    pub fn text(&self, name: &str) -> String {
        self.form.get_attribute(name).unwrap_or_default()
    }

    /// Says in the live region how it goes.
    pub fn say(&self, text: &str) {
        self.set_text("send-status", text);
    }

    /// Fills an element with text.
    pub fn set_text(&self, id: &str, text: &str) {
        if let Some(element) = self.by_id(id) {
            set_text(&element, text);
        }
    }

    /// Shows or hides an element.
    pub fn show(&self, id: &str, shown: bool) {
        if let Some(element) = self.by_id(id) {
            element.set_hidden(!shown);
        }
    }

    /// The order is on its way. `aria-disabled`, because some browsers keep `disabled` across a reload.
    pub fn set_busy(&self) {
        let _ = self.form.set_attribute("aria-busy", "true");
        self.set_text("place-order", &self.text("data-text-busy"));
        if let Some(button) = self.by_id("place-order") {
            let _ = button.set_attribute("aria-disabled", "true");
            // Enter was pressed in a field that is about to become inert: the focus must not fall off the page.
            let _ = button.focus();
        }
        self.set_inert(true);
    }

    /// Nothing is going on.
    pub fn set_idle(&self) {
        let _ = self.form.remove_attribute("aria-busy");
        self.set_text("place-order", &self.button_text);
        if let Some(button) = self.by_id("place-order") {
            let _ = button.remove_attribute("aria-disabled");
        }
        self.show("try-now", false);
        self.set_inert(false);
    }

    fn set_inert(&self, inert: bool) {
        if let Ok(parts) = self.document.query_selector_all(LOCKABLE) {
            for part in elements(&parts) {
                let _ = part.toggle_attribute_with_force("inert", inert);
            }
        }
    }
}

/// The submit token in a form.
pub fn token_of(form: &Element) -> Option<String> {
    value_in(form, "input[name=submit_token]")
}

/// The value of the first matching input.
pub fn value_in(parent: &Element, selector: &str) -> Option<String> {
    let input: HtmlInputElement = parent.query_selector(selector).ok()??.dyn_into().ok()?;
    Some(input.value())
}

/// Fills an element with text, unless it says so already: a live region would repeat itself.
pub fn set_text(element: &Element, text: &str) {
    if element.text_content().as_deref() != Some(text) {
        element.set_text_content(Some(text));
    }
}

/// The elements of a list.
pub fn elements(list: &NodeList) -> impl Iterator<Item = Element> {
    (0..list.length()).filter_map(|index| list.get(index)?.dyn_into().ok())
}

/// Listens for as long as the page lives.
pub fn listen(target: &EventTarget, name: &str, handler: impl FnMut(Event) + 'static) {
    let closure: Function = Closure::<dyn FnMut(Event)>::new(handler)
        .into_js_value()
        .unchecked_into();
    // Fails only for a target without events, which no caller has.
    let _ = target.add_event_listener_with_callback(name, &closure);
}

/// Waits.
pub async fn sleep(window: &Window, milliseconds: i32) {
    let promise = Promise::new(&mut |resolve, _reject| {
        // A page without timers is one that is being left.
        let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, milliseconds);
    });
    let _ = JsFuture::from(promise).await;
}

/// A property of an object, as text.
pub fn text_property(object: &JsValue, name: &str) -> Option<String> {
    js_sys::Reflect::get(object, &JsValue::from_str(name)).ok()?.as_string()
}
