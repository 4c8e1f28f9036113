//! What surrounds every page: brand, navigation, language switch and footer.

use super::data::{Frame, Language, Page};
use crate::texts::Texts;
use leptos::prelude::*;

/// The top of the page.
pub fn header(texts: Texts, frame: &Frame, page: &Page) -> AnyView {
    let current = |here: bool| here.then_some("page");
    view! {
        <header class="site-header">
            <div class="bar">
                <a class="brand" href="/">
                    <img src="/favicon.svg" alt="" width="28" height="28" />
                    <span>{texts.get("shop-name")}</span>
                </a>
                <nav aria-label=texts.get("nav-label")>
                    <a href="/" aria-current=current(matches!(page, Page::Catalog(_)))>
                        {texts.get("nav-catalog")}
                    </a>
                    <a href="/orders" aria-current=current(matches!(page, Page::Orders(_)))>
                        {texts.get("nav-orders")}
                    </a>
                </nav>
                {language_switch(texts, frame, "/language".to_owned())}
            </div>
        </header>
    }
    .into_any()
}

/// The language switch, which posts to this address.
pub fn language_switch(texts: Texts, frame: &Frame, action: String) -> AnyView {
    view! {
        <form class="language" method="post" action=action aria-label=texts.get("language-label")>
            <input type="hidden" name="return_to" value=frame.return_to.clone() autocomplete="off" />
            {language_button(texts, frame.language, Language::English)}
            {language_button(texts, frame.language, Language::Chinese)}
        </form>
    }
    .into_any()
}

/// Each language names itself, in itself.
fn language_button(texts: Texts, current: Language, language: Language) -> AnyView {
    let (value, tag, name) = match language {
        Language::English => ("en", "en", texts.get("language-en")),
        Language::Chinese => ("zh", "zh-CN", texts.get("language-zh")),
    };
    let pressed = if current == language { "true" } else { "false" };
    view! {
        <button type="submit" name="language" value=value lang=tag aria-pressed=pressed>
            {name}
        </button>
    }
    .into_any()
}

/// The bottom of the page.
pub fn footer(texts: Texts) -> AnyView {
    view! {
        <footer class="site-footer">
            <div class="bar">
                <p>{texts.get("footer-promise")}</p>
                <p>
                    <a href="/problems">{texts.get("footer-problems")}</a>
                </p>
            </div>
        </footer>
    }
    .into_any()
}
