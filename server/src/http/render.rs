//! Rendering a page: the document from its data, once, on the server.

use super::{AppState, is_api, no_store, session::cookies};
use crate::problem::PROBLEM_TYPE;
use app::{
    pages::{
        self,
        data::{Frame, Language, Message, Page},
    },
    texts,
};
use axum::{
    extract::{FromRequestParts, OriginalUri, Request, State},
    http::{HeaderValue, StatusCode, header, request::Parts},
    middleware::Next,
    response::{Html, IntoResponse as _, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use leptos::{config::LeptosOptions, nonce::Nonce};
use std::convert::Infallible;

/// Cookie that remembers the language chosen by the switch.
pub const LANGUAGE_COOKIE: &str = "oncemart_language";

/// What the frame around a page takes from the request.
#[derive(Clone, Debug)]
pub struct Frames {
    /// Language of the reader.
    pub language: Language,
    return_to: String,
}

impl Frames {
    /// A frame whose language switch leads back to that page instead of to the one asked for.
    pub fn returning_to(mut self, page: &str) -> Self {
        page.clone_into(&mut self.return_to);
        self
    }
}

impl<S: Sync> FromRequestParts<S> for Frames {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let chosen = cookies(&parts.headers).find(|cookie| cookie.name() == LANGUAGE_COOKIE);
        let accepted = parts
            .headers
            .get(header::ACCEPT_LANGUAGE)
            .and_then(|value| value.to_str().ok());
        let language = texts::negotiate(accepted, chosen.as_ref().map(|cookie| cookie.value()));
        // A router within another sees only the rest of the path; the reader has the whole.
        let uri = parts
            .extensions
            .get::<OriginalUri>()
            .map_or(&parts.uri, |original| &original.0);
        let return_to = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        Ok(Self { language, return_to })
    }
}

/// A page of the shop with a status.
pub fn page(state: &AppState, frames: &Frames, status: StatusCode, page: Page) -> Response {
    rendered(&state.leptos, frames, status, page, "'self'")
}

/// A page with a status. Never cached: it shows what is there now, in the reader's language. `form_action` says where its forms may
/// lead, redirects included.
pub fn rendered(
    leptos: &LeptosOptions,
    frames: &Frames,
    status: StatusCode,
    page: Page,
    form_action: &str,
) -> Response {
    let frame = Frame {
        language: frames.language,
        return_to: frames.return_to.clone(),
    };
    let nonce = STANDARD.encode(rand::random::<[u8; 18]>());
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic' 'wasm-unsafe-eval'; style-src 'self'; \
         img-src 'self' data:; connect-src 'self'; form-action {form_action}; base-uri 'none'; frame-ancestors 'none'"
    );
    let html = pages::render(leptos.clone(), frame, page, Nonce::from_value(nonce));
    let mut response = (status, Html(html)).into_response();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
        .headers_mut()
        .insert(header::VARY, HeaderValue::from_static("Accept-Language, Cookie"));
    no_store(response)
}

/// Turns a problem on the way to a browser into a page with the same status. Routes and layers need only say what is wrong, once.
pub async fn problems_as_pages(
    State(state): State<AppState>,
    frames: Frames,
    request: Request,
    next: Next,
) -> Response {
    let for_programs = is_api(request.uri().path());
    let response = next.run(request).await;
    let is_problem = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes() == PROBLEM_TYPE.as_bytes());
    if for_programs || !is_problem {
        return response;
    }
    let status = response.status();
    let mut shown = page(&state, &frames, status, Page::Message(message_of(status)));
    if let Some(wait) = response.headers().get(header::RETRY_AFTER) {
        shown.headers_mut().insert(header::RETRY_AFTER, wait.clone());
    }
    shown
}

fn message_of(status: StatusCode) -> Message {
    match status {
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => Message::NotFound,
        StatusCode::FORBIDDEN => Message::CrossSite,
        StatusCode::PAYLOAD_TOO_LARGE => Message::TooLarge,
        StatusCode::SERVICE_UNAVAILABLE => Message::Unavailable,
        status if status.is_client_error() => Message::BadRequest,
        _ => Message::Broken,
    }
}
