//! `POST /language`: the language switch, remembered in a cookie.

use super::{render::LANGUAGE_COOKIE, see_other, session::append};
use axum::{Form, extract::rejection::FormRejection, response::Response};
use cookie::{Cookie, SameSite, time::Duration};
use serde::Deserialize;

const YEAR_DAYS: i64 = 365;

/// The switch's fields.
#[derive(Debug, Default, Deserialize)]
pub struct Choice {
    language: Option<String>,
    return_to: Option<String>,
}

/// Remembers the choice and leads back to the page. Anything else than a choice only leads on.
pub async fn choose(choice: Result<Form<Choice>, FormRejection>) -> Response {
    let choice = choice.map(|Form(choice)| choice).unwrap_or_default();
    let mut response = see_other(own_page(choice.return_to.as_deref().unwrap_or("/")));
    if let Some(language) = choice
        .language
        .filter(|language| matches!(language.as_str(), "en" | "zh"))
    {
        let cookie = Cookie::build((LANGUAGE_COOKIE, language))
            .same_site(SameSite::Lax)
            .http_only(true)
            .path("/")
            .max_age(Duration::days(YEAR_DAYS))
            .build();
        append(&mut response, &cookie);
    }
    response
}

/// A path of this site, or the first page: the switch leads nowhere else. `//host` and `/\host` would be other sites.
fn own_page(return_to: &str) -> &str {
    let own = return_to.starts_with('/')
        && !return_to[1..].starts_with(['/', '\\'])
        && return_to.bytes().all(|byte| byte.is_ascii_graphic());
    if own { return_to } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_switch_leads_back_to_this_site_only() {
        assert_eq!(own_page("/order/new?sku=SKU-1"), "/order/new?sku=SKU-1");
        for other in [
            "",
            "https://evil.example/",
            "//evil.example",
            "/\\evil.example",
            "/a\r\nset-cookie: x",
            "evil",
        ] {
            assert_eq!(own_page(other), "/", "{other}");
        }
    }
}
