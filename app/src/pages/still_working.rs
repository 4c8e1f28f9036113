//! After a form post whose order is not known yet: says so, and looks again until the server knows.

use super::{data::StillWorking, parts::form_path};
use crate::texts::Texts;
use leptos::prelude::*;

/// The browser's tab.
pub fn title(texts: Texts, working: &StillWorking) -> String {
    texts.get(if working.gave_up {
        "working-gave-up-title"
    } else {
        "working-title"
    })
}

/// The page. Sending the form again is safe because the form still holds the same token.
pub fn view(texts: Texts, working: &StillWorking) -> AnyView {
    if !working.gave_up {
        return view! {
            <div class="card narrow" id="still-working">
                <h1>{texts.get("working-heading")}</h1>
                <p role="status">{texts.get("working-text")}</p>
                <div class="progress" aria-hidden="true"></div>
            </div>
        }
        .into_any();
    }
    view! {
        <div class="card narrow" id="gave-up">
            <h1>{texts.get("working-gave-up-heading")}</h1>
            <p>{texts.get("working-gave-up-text")}</p>
            <p class="actions">
                <a class="button" href=form_path(&working.sku)>
                    {texts.get("working-back")}
                </a>
            </p>
        </div>
    }
    .into_any()
}
