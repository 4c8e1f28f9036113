//! One press of a button is one request. The server makes that true anyway; here it only keeps an impatient buyer from waiting twice.

use super::{Live, dom};
use crate::wire::CLIENT_TIMEOUT_MILLISECONDS;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, Event, SubmitEvent};

/// Listens at the order, because the forms inside it come and go.
pub fn guard(live: &Rc<Live>) {
    let guarded = live.clone();
    dom::listen(&live.order, "submit", move |event| on_submit(&guarded, &event));
}

fn on_submit(live: &Rc<Live>, event: &Event) {
    let Some(form) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else {
        return;
    };
    if form.has_attribute("aria-busy") {
        return event.prevent_default();
    }
    let _ = form.set_attribute("aria-busy", "true");
    let _ = form.set_attribute("data-keep", "");
    // `aria-disabled`, because a button that is disabled is not sent along with its value.
    if let Some(button) = event.dyn_ref::<SubmitEvent>().and_then(SubmitEvent::submitter) {
        let _ = button.set_attribute("aria-disabled", "true");
    }
    // A request that came to nothing leaves the page as it is, and must be able to be made again.
    let live = live.clone();
    spawn_local(async move {
        dom::sleep(&live.window, CLIENT_TIMEOUT_MILLISECONDS).await;
        release(&live, &["aria-busy", "aria-disabled"]);
    });
}

/// Gives every button back: this page was left and has been returned to.
pub fn release_all(live: &Live) {
    release(live, &["aria-busy", "aria-disabled", "data-keep"]);
}

fn release(live: &Live, names: &[&str]) {
    for name in names {
        let marked = live.order.query_selector_all(&format!("form[{name}], button[{name}]"));
        for element in marked.iter().flat_map(dom::elements) {
            let _ = element.remove_attribute(name);
        }
    }
}
