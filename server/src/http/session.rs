//! The session cookie: a signed random id, one year, rolling.
//!
//! Two pages loaded at once in a new browser both come without a cookie. Each answer sets a first cookie of its own name, so that
//! neither overwrites the other, and leads back to the page; there the oldest of them becomes the session of both.

use super::AppState;
use crate::{
    caller::SessionId,
    signing::{Purpose, SigningKeys},
};
use axum::{
    http::{HeaderMap, header},
    response::Response,
};
use cookie::{Cookie, SameSite, time::Duration};

const YEAR_SECONDS: i64 = 365 * 24 * 60 * 60;
const FIRST_SECONDS: i64 = 60;

/// Writes and reads session cookies.
#[derive(Clone, Copy, Debug)]
pub struct Sessions<'a> {
    keys: &'a SigningKeys,
    secure: bool,
}

impl<'a> Sessions<'a> {
    /// With the keys and the public URL's scheme of these settings.
    pub fn of(state: &'a AppState) -> Self {
        Self {
            keys: &state.submission.keys,
            secure: state.settings.is_https(),
        }
    }

    fn name(self) -> &'static str {
        if self.secure {
            "__Host-oncemart_session"
        } else {
            "oncemart_session"
        }
    }

    fn first_prefix(self) -> &'static str {
        if self.secure {
            "__Host-oncemart_first_"
        } else {
            "oncemart_first_"
        }
    }

    /// The session of a request, if it has one whose signature holds.
    pub fn find(self, headers: &HeaderMap) -> Option<SessionId> {
        let mut oldest_first: Option<SessionId> = None;
        for cookie in cookies(headers) {
            if cookie.name() == self.name() {
                if let Some(session) = self.verify(cookie.value()) {
                    return Some(session);
                }
            } else if cookie.name().starts_with(self.first_prefix())
                && let Some(session) = self.verify(cookie.value())
                && oldest_first.as_ref().is_none_or(|oldest| session < *oldest)
            {
                oldest_first = Some(session);
            }
        }
        oldest_first
    }

    /// Sets or renews the session on an answer.
    pub fn keep(self, mut response: Response, session: &SessionId) -> Response {
        self.set(&mut response, self.name().to_owned(), session, YEAR_SECONDS);
        response
    }

    /// Sets the first cookie of a new browser on an answer.
    pub fn begin(self, mut response: Response) -> Response {
        let session = SessionId::new();
        let name = format!("{}{}", self.first_prefix(), session.as_str());
        self.set(&mut response, name, &session, FIRST_SECONDS);
        response
    }

    fn set(self, response: &mut Response, name: String, session: &SessionId, seconds: i64) {
        let signature = self.keys.sign(Purpose::Session, &[session.as_str()]);
        let cookie = Cookie::build((name, format!("{}.{signature}", session.as_str())))
            .http_only(true)
            .same_site(SameSite::Lax)
            .secure(self.secure)
            .path("/")
            .max_age(Duration::seconds(seconds))
            .build();
        append(response, &cookie);
    }

    fn verify(self, value: &str) -> Option<SessionId> {
        let (id, signature) = value.split_once('.')?;
        let session = SessionId::parse(id)?;
        self.keys.verify(Purpose::Session, &[id], signature).then_some(session)
    }
}

/// Every cookie of a request.
pub fn cookies(headers: &HeaderMap) -> impl Iterator<Item = Cookie<'_>> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| Cookie::split_parse(value).filter_map(Result::ok))
}

/// Adds a cookie to an answer.
pub fn append(response: &mut Response, cookie: &Cookie<'_>) {
    if let Ok(value) = cookie.to_string().parse() {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}
