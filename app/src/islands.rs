//! What runs in the browser: two thin islands, one around the server-rendered order form and one around the order's page.
//!
//! Fields stay the server's HTML and are never rebuilt from state of the program: what was typed before the code
//! arrived is still there after it, and what is sent is what is seen.

#[cfg(feature = "hydrate")]
mod browser;

use leptos::prelude::*;

/// Sends the order form so that a lost answer is asked for again with the same token, and keeps its total up to date.
///
/// Without it the form is a plain form with the same guarantees: the token decides on the server, not the button here.
#[island]
pub fn SubmitGuard(children: Children) -> impl IntoView {
    #[cfg(feature = "hydrate")]
    browser::attach();
    view! { <div class="submit-guard">{children()}</div> }
}

/// Keeps an order's page up to date without leaving it, and lets one press of a button be one.
///
/// Without it the page is as true as its last load, and each of its forms has the same guarantees.
#[island]
pub fn OrderLive(children: Children) -> impl IntoView {
    #[cfg(feature = "hydrate")]
    browser::order::attach();
    view! { <div class="order-live">{children()}</div> }
}
