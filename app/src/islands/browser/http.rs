//! Asking the server with a time limit: posting a form's content, fetching a page.

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Document, DomParser, FormData, Headers, HtmlFormElement, RequestCredentials, RequestInit,
    RequestRedirect, Response, SupportedType, UrlSearchParams, Window,
};

use crate::wire::CLIENT_TIMEOUT_MILLISECONDS;

/// What the form would send, with one more field where a button brings it.
pub fn body(form: &HtmlFormElement, button: Option<(&str, &str)>) -> Option<JsValue> {
    let data = FormData::new_with_form(form).ok()?;
    if let Some((name, value)) = button {
        data.append_with_str(name, value).ok()?;
    }
    // A form without files is a sequence of pairs of strings, which is what the constructor reads.
    UrlSearchParams::new_with_str_sequence_sequence(&data)
        .ok()
        .map(JsValue::from)
}

/// Posts and waits for the head of the answer. None when there is no answer: network, time limit.
pub async fn post(window: &Window, url: &str, body: &JsValue, headers: &[(&str, &str)]) -> Option<Response> {
    let sent = Headers::new().ok()?;
    for (name, value) in headers {
        sent.set(name, value).ok()?;
    }
    let request = RequestInit::new();
    request.set_method("POST");
    request.set_headers(&sent);
    request.set_body(body);
    send(window, url, &request).await
}

/// Fetches a page. None when there is no answer, or another one than the page.
pub async fn page(window: &Window, url: &str) -> Option<Document> {
    let response = send(window, url, &RequestInit::new()).await?;
    if !response.ok() {
        return None;
    }
    parse(&text(&response).await?)
}

/// HTML as a document of its own, in which nothing runs.
pub fn parse(html: &str) -> Option<Document> {
    let parser = DomParser::new().ok()?;
    parser.parse_from_string(html, SupportedType::TextHtml).ok()
}

async fn send(window: &Window, url: &str, request: &RequestInit) -> Option<Response> {
    let controller = AbortController::new().ok()?;
    request.set_credentials(RequestCredentials::SameOrigin);
    // A redirect is an answer for pages, not for code: it must not be followed to a page that looks like success.
    request.set_redirect(RequestRedirect::Manual);
    request.set_signal(Some(&controller.signal()));

    let abort = wasm_bindgen::closure::Closure::once_into_js(move || controller.abort());
    let timer = window
        .set_timeout_with_callback_and_timeout_and_arguments_0(abort.unchecked_ref(), CLIENT_TIMEOUT_MILLISECONDS)
        .ok()?;
    let answer = JsFuture::from(window.fetch_with_str_and_init(url, request)).await;
    window.clear_timeout_with_handle(timer);
    answer.ok()?.dyn_into().ok()
}

/// The text of an answer.
pub async fn text(response: &Response) -> Option<String> {
    JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}
