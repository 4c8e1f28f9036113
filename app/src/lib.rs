//! What renders: pages, islands and the types they share with the server.
//!
//! Compiled twice: into the browser (feature `hydrate`: the islands alone) and into the server (feature `ssr`: whole pages).
//! A page is a function of its data: the server's route gathers the data, sets status and headers, and renders the page once.
//! Nothing here knows the server, its tables or its tokens' making.

pub mod islands;
#[cfg(feature = "ssr")]
pub mod pages;
pub mod pricing;
#[cfg(feature = "ssr")]
pub mod texts;
pub mod wire;

/// Called by the page's script once the code is there.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
