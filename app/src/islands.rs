//! What runs in the browser: one thin island around the server-rendered order form.
//!
//! The form's fields stay the server's HTML and are never rebuilt from state of the program: what was typed before the code
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
