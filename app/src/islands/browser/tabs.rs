//! Tabs that show the same form tell each other when it became an order.

use super::{Guard, dom};
use js_sys::{Object, Reflect};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{BroadcastChannel, MessageEvent};

const CHANNEL: &str = "oncemart";

/// Tells the other tabs that this token's order is at this path.
pub fn tell(token: &str, location: &str) {
    let Ok(channel) = BroadcastChannel::new(CHANNEL) else {
        return;
    };
    let message = Object::new();
    for (name, value) in [("token", token), ("location", location)] {
        // A plain object takes every property.
        let _ = Reflect::set(&message, &JsValue::from_str(name), &JsValue::from_str(value));
    }
    let _ = channel.post_message(&message);
}

/// Replaces this tab's form by a link to the order once another tab placed it.
pub fn listen(guard: &Rc<Guard>) {
    let Ok(channel) = BroadcastChannel::new(CHANNEL) else {
        return;
    };
    let guard = guard.clone();
    dom::listen(&channel, "message", move |event| {
        let Some(message) = event.dyn_ref::<MessageEvent>().map(MessageEvent::data) else {
            return;
        };
        let token = dom::text_property(&message, "token");
        let Some(location) = dom::text_property(&message, "location") else {
            return;
        };
        // A tab that is sending the same form itself is about to get the same order as its answer.
        if token == Some(guard.page.token()) && guard.lock() {
            show_order(&guard, &location);
        }
    });
    // Without a reference from here the channel could be collected with its listener.
    std::mem::forget(channel);
}

fn show_order(guard: &Guard, location: &str) {
    let page = &guard.page;
    page.form.set_hidden(true);
    page.show("form-lead", false);
    page.show("form-messages", false);
    if let Some(link) = page.by_id("elsewhere-link") {
        let _ = link.set_attribute("href", location);
    }
    if let Some(notice) = page.by_id("became-order-elsewhere") {
        notice.set_hidden(false);
        let _ = notice.focus();
    }
}
