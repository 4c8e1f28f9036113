//! The order on its way: one token, one content, as many attempts as the network needs.
//!
//! An attempt without a clear answer is repeated with the same token, so it can become one order at most. Every clear answer
//! but success goes to the plain form post: the server renders the page that explains it, and there is one way to show errors.

use super::{Guard, http, tabs};
use js_sys::{Math, Promise};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

const SHORTEST_PAUSE_MS: f64 = 500.0;
const LONGEST_PAUSE_MS: f64 = 8_000.0;

/// What an attempt came to.
enum Outcome {
    /// There is an order at this path.
    Placed(String),
    /// Nobody knows yet; not before this many milliseconds again.
    Unsure { at_least_ms: f64 },
    /// The server has something to say.
    Answered,
}

/// Sends until there is an answer. The caller holds the lock, and keeps it: every way out leaves this page.
pub async fn run(guard: &Guard) {
    let page = &guard.page;
    // Taken once, at the press: a retry with another content would not be a retry.
    let Some(body) = http::body(&page.form, None) else {
        return post_plainly(guard);
    };
    let token = page.token();
    page.set_busy();
    page.say(&page.text("data-text-sending"));
    let mut longest_pause = SHORTEST_PAUSE_MS;
    loop {
        match attempt(guard, &token, &body).await {
            Outcome::Placed(location) => return leave_for(guard, &token, &location),
            Outcome::Answered => return post_plainly(guard),
            Outcome::Unsure { at_least_ms } => {
                let offline = !page.window.navigator().on_line();
                page.say(&page.text(if offline {
                    "data-text-offline"
                } else {
                    "data-text-retry"
                }));
                page.show("try-now", true);
                let jittered = longest_pause * (0.5 + Math::random() / 2.0);
                pause(guard, jittered.max(at_least_ms)).await;
                longest_pause = (longest_pause * 2.0).min(LONGEST_PAUSE_MS);
            }
        }
    }
}

async fn attempt(guard: &Guard, token: &str, body: &JsValue) -> Outcome {
    let headers = [("X-Submit-Token", token), ("Accept", "application/json")];
    match http::post(&guard.page.window, "/api/orders", body, &headers).await {
        Some(response) => judge(&response),
        None => Outcome::Unsure { at_least_ms: 0.0 },
    }
}

fn judge(response: &Response) -> Outcome {
    let header = |name| response.headers().get(name).ok().flatten();
    let retry_after = header("Retry-After").and_then(|seconds| seconds.parse::<u32>().ok());
    match (response.status(), header("Location")) {
        (200 | 201, Some(location)) => Outcome::Placed(location),
        (429 | 502 | 503 | 504, _) => Outcome::Unsure {
            at_least_ms: milliseconds(retry_after.unwrap_or(0)),
        },
        (409, _) if retry_after.is_some() => Outcome::Unsure {
            at_least_ms: milliseconds(retry_after.unwrap_or(0)),
        },
        _ => Outcome::Answered,
    }
}

fn milliseconds(seconds: u32) -> f64 {
    f64::from(seconds) * 1_000.0
}

/// Waits, unless the buyer presses "try now" or the network comes back.
async fn pause(guard: &Guard, milliseconds: f64) {
    let promise = Promise::new(&mut |resolve, _reject| {
        // Without a timer only the button and the network wake the next attempt.
        let _ = guard
            .page
            .window
            .set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, milliseconds as i32);
        guard.wake.replace(Some(resolve));
    });
    let _ = JsFuture::from(promise).await;
    guard.wake.replace(None);
}

/// Tells the other tabs and goes to the order. The link is for a browser that does not get there.
fn leave_for(guard: &Guard, token: &str, location: &str) {
    let page = &guard.page;
    page.show("try-now", false);
    page.say(&page.text("data-text-done"));
    if let Some(link) = page.by_id("placed-link") {
        let _ = link.set_attribute("href", location);
        link.set_hidden(false);
    }
    tabs::tell(token, location);
    let _ = page.window.location().assign(location);
}

/// Lets the server render its answer, with the input kept and the same token.
fn post_plainly(guard: &Guard) {
    if guard.page.form.submit().is_err() {
        guard.page.set_idle();
        guard.locked.set(false);
    }
}
