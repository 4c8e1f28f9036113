//! What surrounds the sandbox gateway's pages: they are a payment provider's and must not look like the shop's.

use super::{data::Frame, frame::language_switch};
use crate::texts::Texts;
use leptos::prelude::*;

/// The top of the page.
pub fn header(texts: Texts, frame: &Frame, base: &str) -> AnyView {
    let overview = if base.is_empty() { "/" } else { base }.to_owned();
    view! {
        <header class="site-header">
            <div class="bar">
                <a class="brand" href=overview>
                    <span>{texts.get("sandbox-name")}</span>
                </a>
                <span class="badge" data-status="WAIT_PAY">
                    {texts.get("sandbox-no-money")}
                </span>
                {language_switch(texts, frame, format!("{base}/language"))}
            </div>
        </header>
    }
    .into_any()
}

/// The bottom of the page.
pub fn footer(texts: Texts) -> AnyView {
    view! {
        <footer class="site-footer">
            <div class="bar">
                <p>{texts.get("sandbox-footer")}</p>
            </div>
        </footer>
    }
    .into_any()
}
