//! The pages: each a function of its data in [`data`].

pub mod data;

use data::{Frame, Page};
use leptos::prelude::*;

/// The whole document for one page. The nonce for scripts comes from the Leptos context.
pub fn document(options: LeptosOptions, frame: Frame, page: Page) -> impl IntoView {
    let _ = (options, frame, page);
    view! { <!DOCTYPE html> <html lang="en"><body></body></html> }
}
