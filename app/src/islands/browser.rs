//! The browser's side of the islands. Here: listeners on the server's order form, and the one lock that all of them share; the
//! order's page is in [`order`].
//!
//! Attached once per load, after the HTML stood there for a while: nothing here may overwrite a typed value. The token is read
//! from the form whenever it is needed and never replaced by anything but a page of the server.

mod dom;
mod editing;
mod http;
mod live_total;
pub mod order;
mod sending;
mod tabs;

use dom::Page;
use js_sys::Function;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Event, HtmlButtonElement, PageTransitionEvent, SubmitEvent};

/// The form and what is going on with it.
struct Guard {
    page: Page,
    /// Held from the press until the answer, and for good once there is an order: a second press does nothing.
    locked: Cell<bool>,
    /// Ends the pause between two attempts.
    wake: RefCell<Option<Function>>,
}

impl Guard {
    /// Takes the lock, if it is free.
    fn lock(&self) -> bool {
        !self.locked.replace(true)
    }

    /// Ends the pause between two attempts, if there is one.
    fn wake(&self) {
        if let Some(wake) = self.wake.take() {
            // Resolving a promise cannot fail.
            let _ = wake.call0(&wasm_bindgen::JsValue::NULL);
        }
    }
}

/// Looks for the form and listens to it. A page without one (it became an order meanwhile) needs nothing.
pub fn attach() {
    let Some(page) = Page::find() else { return };
    let guard = Rc::new(Guard {
        page,
        locked: Cell::new(false),
        wake: RefCell::new(None),
    });
    guard.page.set_idle();
    live_total::show(&guard.page);
    tabs::listen(&guard);

    let form = guard.page.form.clone();
    let for_submit = guard.clone();
    dom::listen(&form, "submit", move |event| on_submit(&for_submit, &event));
    let for_input = guard.clone();
    dom::listen(&form, "input", move |_| live_total::show(&for_input.page));
    if let Some(button) = guard.page.by_id("try-now") {
        let for_button = guard.clone();
        dom::listen(&button, "click", move |_| for_button.wake());
    }
    let window = guard.page.window.clone();
    dom::listen(&window, "online", move |_| guard.wake());
    dom::listen(&window, "pageshow", |event| reload_if_restored(&event));
}

/// One press, by mouse, Enter or a script: either an edit of the form or the order.
fn on_submit(guard: &Rc<Guard>, event: &Event) {
    event.prevent_default();
    if !guard.lock() {
        return;
    }
    let submitter = event.dyn_ref::<SubmitEvent>().and_then(SubmitEvent::submitter);
    let button = submitter.and_then(|element| element.dyn_into::<HtmlButtonElement>().ok());
    let guard = guard.clone();
    match button.filter(|button| button.name() == "edit") {
        Some(button) => spawn_local(async move { editing::run(&guard, &button.value()).await }),
        None => spawn_local(async move { sending::run(&guard).await }),
    }
}

/// A page out of the back-forward cache shows the past: the form may have become an order since.
fn reload_if_restored(event: &Event) {
    if event
        .dyn_ref::<PageTransitionEvent>()
        .is_some_and(PageTransitionEvent::persisted)
        && let Some(window) = web_sys::window()
    {
        // Nothing is lost when the browser refuses: the server knows the token.
        let _ = window.location().reload();
    }
}
