//! The browser's side of an order's page: it hears that the order has changed, looks again, and shows what is new.
//!
//! What is heard is a version number and nothing else. What is shown is always the server's page, so there is one way to render an
//! order, and a message that is lost, repeated or late can only make the page look again.

mod parts;
mod presses;

use super::{dom, http};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Document, Element, Event, EventSource, MessageEvent, PageTransitionEvent, Window};

const SHORTEST_PAUSE_MS: i32 = 2_000;
const LONGEST_PAUSE_MS: i32 = 60_000;

/// The order's page and what was heard of the order.
struct Live {
    window: Window,
    document: Document,
    /// The order's element. It stays; its parts are replaced.
    order: Element,
    /// The newest version that was heard of.
    heard: Cell<i64>,
    /// Whether a part was kept back, or the page may be old for another reason.
    stale: Cell<bool>,
    /// Whether somebody is looking already.
    looking: Cell<bool>,
    /// Where changes are heard. Kept here, because without a reference it could be collected.
    source: RefCell<Option<EventSource>>,
    /// How long to wait before listening again.
    pause: Cell<i32>,
}

impl Live {
    fn path(&self) -> String {
        self.order.get_attribute("data-path").unwrap_or_default()
    }

    fn shown(&self) -> i64 {
        version_of(&self.order)
    }

    fn is_behind(&self) -> bool {
        self.stale.get() || self.heard.get() > self.shown()
    }
}

/// The version that an order's element shows.
fn version_of(order: &Element) -> i64 {
    let version = order.get_attribute("data-version").and_then(|text| text.parse().ok());
    version.unwrap_or_default()
}

/// Looks for the order and keeps it up to date for as long as the page lives.
pub fn attach() {
    let Some(live) = find() else { return };
    let live = Rc::new(live);
    presses::guard(&live);
    listen(&live);
    let for_focus = live.clone();
    // A part that was kept back because the buyer was in it can come now.
    dom::listen(&live.order, "focusout", move |_| look(&for_focus));
    let for_show = live.clone();
    dom::listen(&live.window, "pageshow", move |event| on_show(&for_show, &event));
    let for_visibility = live.clone();
    dom::listen(&live.document, "visibilitychange", move |_| {
        on_visibility(&for_visibility)
    });
}

fn find() -> Option<Live> {
    let window = web_sys::window()?;
    let document = window.document()?;
    let order = document.get_element_by_id("order")?;
    Some(Live {
        window,
        document,
        order,
        heard: Cell::new(0),
        stale: Cell::new(false),
        looking: Cell::new(false),
        source: RefCell::new(None),
        pause: Cell::new(SHORTEST_PAUSE_MS),
    })
}

/// A page out of the back-forward cache shows the past, and has heard nothing while it lay there.
fn on_show(live: &Rc<Live>, event: &Event) {
    let restored = event.dyn_ref::<PageTransitionEvent>();
    if restored.is_some_and(PageTransitionEvent::persisted) {
        presses::release_all(live);
        live.stale.set(true);
        look(live);
        listen(live);
    }
}

/// A browser keeps about six connections to a server: a tab that nobody looks at gives its own up, so that many open orders never
/// keep the shop itself from loading. It hears the newest version when it is looked at again.
fn on_visibility(live: &Rc<Live>) {
    if live.document.hidden() {
        if let Some(source) = live.source.take() {
            source.close();
        }
    } else {
        listen(live);
    }
}

/// Opens the stream of changes, unless nobody is looking. The browser itself connects again after a loss; what it gives up for good is opened anew.
fn listen(live: &Rc<Live>) {
    if live.document.hidden() {
        return;
    }
    let Ok(source) = EventSource::new(&format!("{}/changes", live.path())) else {
        return;
    };
    let for_message = live.clone();
    dom::listen(&source, "message", move |event| hear(&for_message, &event));
    let for_error = live.clone();
    dom::listen(&source, "error", move |event| {
        let source = event.target().and_then(|target| target.dyn_into::<EventSource>().ok());
        if source.is_some_and(|source| source.ready_state() == EventSource::CLOSED) {
            listen_later(for_error.clone());
        }
    });
    if let Some(former) = live.source.replace(Some(source)) {
        former.close();
    }
}

fn listen_later(live: Rc<Live>) {
    let pause = live.pause.get();
    live.pause.set((pause * 2).min(LONGEST_PAUSE_MS));
    spawn_local(async move {
        dom::sleep(&live.window, pause).await;
        listen(&live);
    });
}

fn hear(live: &Rc<Live>, event: &Event) {
    let data = event
        .dyn_ref::<MessageEvent>()
        .and_then(|message| message.data().as_string());
    let Some(version) = data.and_then(|data| data.trim().parse::<i64>().ok()) else {
        return;
    };
    live.pause.set(SHORTEST_PAUSE_MS);
    live.heard.set(live.heard.get().max(version));
    look(live);
}

/// Looks again until the page shows what was heard of, unless somebody is doing so already.
fn look(live: &Rc<Live>) {
    if !live.is_behind() || live.looking.replace(true) {
        return;
    }
    let live = live.clone();
    spawn_local(async move {
        let mut pause = SHORTEST_PAUSE_MS;
        loop {
            live.stale.set(false);
            let newer = http::page(&live.window, &live.path()).await;
            let kept_back = newer.as_ref().is_some_and(|newer| parts::show(&live, newer));
            if newer.is_some() && !live.is_behind() {
                live.stale.set(kept_back);
                break;
            }
            dom::sleep(&live.window, pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE_MS);
        }
        live.looking.set(false);
    });
}
