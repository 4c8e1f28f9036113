//! What has happened to the order, and the sentence that says the last of it aloud.

use crate::{
    pages::{
        data::OrderPage,
        parts::{status_text, time},
    },
    texts::Texts,
    wire::JournalEntry,
};
use leptos::prelude::*;

/// What a buyer hears who listens to the page when it has changed.
pub fn announcement(texts: Texts, page: &OrderPage) -> String {
    let status = status_text(texts, &page.order.order.status);
    match page.order.events.last() {
        Some(last) => {
            let values = [
                ("event", event_text(texts, &last.event).into()),
                ("status", status.into()),
            ];
            texts.with("order-announcement", &values)
        }
        None => status,
    }
}

/// The part `journal`.
pub fn view(texts: Texts, events: &[JournalEntry]) -> AnyView {
    let rows: Vec<_> = events.iter().map(|event| entry(texts, event)).collect();
    view! {
        <div data-live="journal">
            <section class="card" aria-labelledby="journal-heading">
                <h2 id="journal-heading">{texts.get("order-journal")}</h2>
                <ol class="timeline" id="journal">
                    {rows}
                </ol>
            </section>
        </div>
    }
    .into_any()
}

/// Events and sources without a text show their own names: an older page must not fail on a newer event.
fn event_text(texts: Texts, event: &str) -> String {
    texts
        .find(&format!("event-{event}"))
        .unwrap_or_else(|| event.to_owned())
}

fn entry(texts: Texts, event: &JournalEntry) -> AnyView {
    let source = texts
        .find(&format!("source-{}", event.source))
        .unwrap_or_else(|| event.source.clone());
    let detail = (!event.detail.is_empty()).then(|| view! { <span class="quiet-text">{event.detail.clone()}</span> });
    view! {
        <li data-event=event.event.clone()>
            <strong>{event_text(texts, &event.event)}</strong>
            {change(texts, event).map(|change| view! { <span>{change}</span> })}
            {detail}
            <span class="quiet-text">
                {time(texts, &event.at)} <span class="by">{texts.with("journal-by", &[("source", source.into())])}</span>
            </span>
        </li>
    }
    .into_any()
}

/// From where to where; nothing for an event that left the order where it was.
fn change(texts: Texts, event: &JournalEntry) -> Option<String> {
    let to = status_text(texts, &event.to);
    match &event.from {
        Some(from) if *from == event.to => None,
        Some(from) => {
            let change = [("from", status_text(texts, from).into()), ("to", to.into())];
            Some(texts.with("journal-change", &change))
        }
        None => Some(to),
    }
}
