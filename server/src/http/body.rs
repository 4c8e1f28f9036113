//! Reading a request's body: its type, its limit.

use crate::problem::{Problem, ProblemKind};
use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, header},
};
use futures::StreamExt as _;
use mime::Mime;
use std::time::Duration;

/// Most bytes of a body. The largest honest order is below a tenth of it.
pub const MAXIMUM_BODY: usize = 64 * 1024;

/// Most bytes that are read and thrown away so that a client who is still sending can read the answer.
const MAXIMUM_DRAINED: usize = 256 * 1024 * 1024;

/// Longest time for reading a body.
const BODY_TIME: Duration = Duration::from_secs(5);

/// What a body is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// `application/json`
    Json,
    /// `application/x-www-form-urlencoded`
    Form,
}

/// The type of an order's body.
pub fn kind(headers: &HeaderMap) -> Result<BodyKind, Problem> {
    let unsupported = |detail: &str| Err(Problem::new(ProblemKind::UnsupportedMediaType, detail));
    if headers
        .get(header::CONTENT_ENCODING)
        .is_some_and(|encoding| encoding.as_bytes() != b"identity")
    {
        return unsupported("Send the body without a content encoding.");
    }
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let Some(given) = given.and_then(|value| value.parse::<Mime>().ok()) else {
        return unsupported("Send application/json or application/x-www-form-urlencoded.");
    };
    if given
        .get_param(mime::CHARSET)
        .is_some_and(|charset| charset != mime::UTF_8)
    {
        return unsupported("Send the body in UTF-8.");
    }
    match (given.type_(), given.subtype()) {
        (mime::APPLICATION, mime::JSON) => Ok(BodyKind::Json),
        (mime::APPLICATION, mime::WWW_FORM_URLENCODED) => Ok(BodyKind::Form),
        _ => unsupported("Send application/json or application/x-www-form-urlencoded."),
    }
}

/// Reads a body of JSON.
pub async fn read_json(headers: &HeaderMap, body: Body) -> Result<Bytes, Problem> {
    let body = read(headers, body).await?;
    match kind(headers)? {
        BodyKind::Json => Ok(body),
        BodyKind::Form => Err(Problem::new(
            ProblemKind::UnsupportedMediaType,
            "Send application/json.",
        )),
    }
}

/// Reads a body of a form's fields.
pub async fn read_form(headers: &HeaderMap, body: Body) -> Result<Bytes, Problem> {
    let body = read(headers, body).await?;
    match kind(headers)? {
        BodyKind::Form => Ok(body),
        BodyKind::Json => Err(Problem::new(
            ProblemKind::UnsupportedMediaType,
            "Send the form's fields.",
        )),
    }
}

/// Reads a body within its limit. What is over the limit is read and forgotten, so that the client gets to read the answer
/// instead of finding its connection closed while it sends.
pub async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, Problem> {
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let too_large = || {
        Problem::new(ProblemKind::RequestTooLarge, format!("At most {MAXIMUM_BODY} bytes."))
            .with("maximum", MAXIMUM_BODY)
    };
    if announced.is_some_and(|length| length > MAXIMUM_BODY) && headers.contains_key(header::EXPECT) {
        return Err(too_large()); // The client waits for a word before it sends.
    }
    let reading = async {
        let mut stream = body.into_data_stream();
        let (mut kept, mut length) = (Vec::new(), 0_usize);
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|_| Problem::new(ProblemKind::MalformedRequest, "The body ended early."))?;
            length = length.saturating_add(chunk.len());
            if length <= MAXIMUM_BODY {
                kept.extend_from_slice(&chunk);
            } else {
                kept = Vec::new();
            }
            if length > MAXIMUM_DRAINED {
                break;
            }
        }
        if length > MAXIMUM_BODY {
            Err(too_large())
        } else {
            Ok(Bytes::from(kept))
        }
    };
    match tokio::time::timeout(BODY_TIME, reading).await {
        Ok(read) => read,
        Err(_) if announced.is_none_or(|length| length > MAXIMUM_BODY) => Err(too_large()),
        Err(_) => Err(Problem::new(
            ProblemKind::MalformedRequest,
            "The body did not arrive in time.",
        )),
    }
}
