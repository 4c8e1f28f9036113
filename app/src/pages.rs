//! The pages: each a plain function of its data in [`data`], rendered once on the server.
//!
//! No router and no resources: the server's route gathers the data, and what stands here only shows it. Only the order form
//! and the order bring code to the browser; every page works without it.

mod became_order;
mod catalog;
pub mod data;
mod form_errors;
mod form_fields;
mod form_lines;
mod form_notice;
mod form_summary;
mod frame;
mod message;
mod order;
mod order_form;
mod orders;
mod parts;
mod problems;
mod sandbox_cashier;
mod sandbox_frame;
mod sandbox_overview;
mod scripts;
mod still_working;

use crate::texts::Texts;
use data::{Frame, Page};
use hydration_context::SsrSharedContext;
use leptos::{nonce::Nonce, prelude::*};
use std::sync::Arc;

/// The whole document for one page as HTML, whose scripts carry this nonce.
///
/// A page waits for nothing, so this needs no stream; and unlike Leptos' streams it puts no scripts for resources behind `</html>`.
pub fn render(options: LeptosOptions, frame: Frame, page: Page, nonce: Nonce) -> String {
    let owner = Owner::new_root(Some(Arc::new(SsrSharedContext::new_islands())));
    let html = owner.with(|| {
        provide_context(nonce);
        document(options, frame, page).to_html()
    });
    owner.cleanup();
    html
}

/// The whole document for one page. The nonce for scripts comes from the Leptos context.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the view outlives the call, as its caller, a closure that Leptos keeps, needs"
)]
pub fn document(options: LeptosOptions, frame: Frame, page: Page) -> impl IntoView {
    // Only islands come to life in the browser: no marks and no data for the rest of the page.
    if let Some(shared) = Owner::current_shared_context() {
        shared.set_is_hydrating(false);
    }
    let texts = Texts::of(frame.language);
    let (header, footer) = match page.sandbox_base() {
        Some(base) => (sandbox_frame::header(texts, &frame, base), sandbox_frame::footer(texts)),
        None => (frame::header(texts, &frame, &page), frame::footer(texts)),
    };
    let scripts = page.has_island().then(|| scripts::browser_code(&options));
    let refresh = page
        .refreshes()
        .then(|| view! { <meta http-equiv="refresh" content="2" /> });
    view! {
        <!DOCTYPE html>
        <html lang=texts.tag()>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <title>{format!("{} – {}", page.title(texts), texts.get("shop-name"))}</title>
                <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
                <link rel="stylesheet" id="oncemart-style" href=scripts::stylesheet_path(&options) />
                {refresh}
                {scripts}
            </head>
            <body>
                <a class="skip-link" href="#main">{texts.get("skip-to-content")}</a>
                {header}
                <main id="main" tabindex="-1">{body(texts, page)}</main>
                {footer}
            </body>
        </html>
    }
}

fn body(texts: Texts, page: Page) -> AnyView {
    match page {
        Page::Catalog(products) => catalog::view(texts, products),
        Page::OrderForm(form) => order_form::view(texts, *form),
        Page::FormBecameOrder(became) => became_order::view(texts, &became),
        Page::StillWorking(working) => still_working::view(texts, &working),
        Page::Order(order) => order::view(texts, &order),
        Page::Orders(orders) => orders::view(texts, orders),
        Page::Problems(types) => problems::list(texts, types),
        Page::Problem(problem) => problems::one(texts, problem),
        Page::Message(message) => message::view(texts, message),
        Page::SandboxCashier(cashier) => sandbox_cashier::view(texts, &cashier),
        Page::SandboxOverview(overview) => sandbox_overview::view(texts, &overview),
        Page::SandboxRefusal(refusal) => sandbox_cashier::refused(texts, &refusal),
    }
}

impl Page {
    /// What the browser's tab says.
    fn title(&self, texts: Texts) -> String {
        match self {
            Self::Catalog(_) => texts.get("catalog-title"),
            Self::OrderForm(form) => order_form::title(texts, form),
            Self::FormBecameOrder(_) => texts.get("became-title"),
            Self::StillWorking(working) => still_working::title(texts, working),
            Self::Order(page) => order::title(texts, page),
            Self::Orders(_) => texts.get("orders-title"),
            Self::Problems(_) => texts.get("problems-title"),
            Self::Problem(problem) => problems::title(texts, *problem),
            Self::Message(message) => message::title(texts, *message),
            Self::SandboxCashier(cashier) => sandbox_cashier::title(texts, cashier),
            Self::SandboxOverview(_) => texts.get("sandbox-overview-heading"),
            Self::SandboxRefusal(_) => texts.get("sandbox-refused-heading"),
        }
    }

    /// Where the sandbox gateway's pages begin, if this is one of them: they are a provider's, not the shop's.
    fn sandbox_base(&self) -> Option<&str> {
        match self {
            Self::SandboxCashier(cashier) => Some(&cashier.base),
            Self::SandboxOverview(overview) => Some(&overview.base),
            Self::SandboxRefusal(refusal) => Some(&refusal.base),
            _ => None,
        }
    }

    /// Whether the page needs code in the browser.
    fn has_island(&self) -> bool {
        matches!(self, Self::OrderForm(_) | Self::Order(_))
    }

    /// Whether the page looks again by itself. Without a script, so that it works in every browser.
    fn refreshes(&self) -> bool {
        matches!(self, Self::StillWorking(working) if !working.gave_up)
    }
}

#[cfg(test)]
mod tests;
