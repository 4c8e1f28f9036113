//! Pages that only say something, such as "not found".

use super::data::Message;
use crate::texts::Texts;
use leptos::prelude::*;

/// The browser's tab.
pub fn title(texts: Texts, message: Message) -> String {
    texts.get(&format!("message-{}.title", message.as_str()))
}

/// The page.
pub fn view(texts: Texts, message: Message) -> AnyView {
    view! {
        <div class="card narrow" id="message" data-message=message.as_str()>
            <h1>{title(texts, message)}</h1>
            <p>{texts.get(&format!("message-{}.text", message.as_str()))}</p>
            <p class="actions">
                <a class="button" href="/">
                    {texts.get("message-home")}
                </a>
            </p>
        </div>
    }
    .into_any()
}
