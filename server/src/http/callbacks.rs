//! `POST /callbacks/{channel}`: what the payment providers send. The raw bytes go to the use case untouched; the answer is the
//! provider's own form, byte for byte.

use super::{AppState, body, no_store};
use crate::{
    channels::{CallbackAnswer, ChannelId},
    faults::FaultPoint,
    payments::callback::Received,
    problem::Problem,
};
use axum::{
    body::Body,
    extract::{Path, State, rejection::PathRejection},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};

/// Takes a callback. The body's type does not matter, only its bytes and their signature do.
pub async fn receive(
    State(state): State<AppState>,
    channel: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    request_body: Body,
) -> Result<Response, Problem> {
    let channel = channel
        .ok()
        .and_then(|Path(name)| ChannelId::parse(&name))
        .and_then(|id| state.payments.channels.get(id))
        .ok_or_else(Problem::not_found)?;
    let limit = state.executor.durations.callback_timeout;
    let taken = tokio::time::timeout(limit, async {
        let body = body::read(&headers, request_body).await?;
        Ok::<_, Problem>(state.payments.receive(&*channel, &headers, &body).await)
    });
    let received = match taken.await {
        Ok(received) => received?,
        // What was begun goes on; the retry finds it done.
        Err(_) => Received::NotNow,
    };
    state.executor.faults.pass(FaultPoint::BeforeAnswer).await;
    Ok(match received {
        Received::Accepted => answer(channel.success()),
        Received::NotNow => answer(channel.failure()),
        // Which check failed is nobody's business but ours.
        Received::Forged => {
            let mut refused = answer(channel.failure());
            *refused.status_mut() = StatusCode::UNAUTHORIZED;
            refused
        }
    })
}

fn answer(answer: CallbackAnswer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, answer.body).into_response();
    match answer.content_type {
        Some(kind) => response
            .headers_mut()
            .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        None => response.headers_mut().remove(header::CONTENT_TYPE),
    };
    no_store(response)
}
