//! Posting a form's content with a time limit.

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, FormData, Headers, HtmlFormElement, RequestCredentials, RequestInit, RequestRedirect, Response,
    UrlSearchParams, Window,
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
    let controller = AbortController::new().ok()?;
    let sent = Headers::new().ok()?;
    for (name, value) in headers {
        sent.set(name, value).ok()?;
    }
    let request = RequestInit::new();
    request.set_method("POST");
    request.set_headers(&sent);
    request.set_body(body);
    request.set_credentials(RequestCredentials::SameOrigin);
    // A redirect is an answer for pages, not for code: it must not be followed to a page that looks like success.
    request.set_redirect(RequestRedirect::Manual);
    request.set_signal(Some(&controller.signal()));

    let abort = wasm_bindgen::closure::Closure::once_into_js(move || controller.abort());
    let timer = window
        .set_timeout_with_callback_and_timeout_and_arguments_0(abort.unchecked_ref(), CLIENT_TIMEOUT_MILLISECONDS)
        .ok()?;
    let answer = JsFuture::from(window.fetch_with_str_and_init(url, &request)).await;
    window.clear_timeout_with_handle(timer);
    answer.ok()?.dyn_into().ok()
}

/// The text of an answer.
pub async fn text(response: &Response) -> Option<String> {
    JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}
