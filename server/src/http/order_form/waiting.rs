//! `GET /order/waiting?sku=…&attempt=…`: refreshes itself until the order is there, or until nobody works on it any more.
//!
//! It waits for one attempt, named by the unique part of its token, and not for whatever token the form shows by now: another tab
//! may have seen the order and moved on to a new one. That part is no secret: without the session and the signature it opens nothing.

use super::{FormAddress, FormQuery};
use crate::{
    caller::SessionId,
    http::{
        AppState,
        render::{self, Frames},
        see_other,
        session::Sessions,
    },
    idempotency::record::{self, State as RecordState},
    orders::read::number_of_key,
    problem::Problem,
    tokens::{SubmitToken, is_sku, order_key},
};
use app::pages::data::{Page, StillWorking};
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
};

/// Where a post whose order is still being worked on leads.
pub fn address(sku: &str, token: &SubmitToken) -> String {
    format!("/order/waiting?sku={sku}&attempt={}", token.key())
}

/// `GET /order/waiting?sku=…&attempt=…`
pub async fn show(
    State(state): State<AppState>,
    frames: Frames,
    headers: HeaderMap,
    query: FormAddress,
) -> Result<Response, Problem> {
    let FormQuery { sku, attempt, .. } = query.map(|query| query.0).unwrap_or_default();
    let sku = sku.filter(|sku| is_sku(sku)).ok_or_else(Problem::not_found)?;
    let attempt = attempt
        .filter(|attempt| attempt.len() == 32)
        .ok_or_else(Problem::not_found)?;
    let session = Sessions::of(&state).find(&headers).ok_or_else(Problem::not_found)?;
    let gave_up = match progress(&state, &session, &attempt).await? {
        Progress::Ordered(order_no) => return Ok(see_other(&format!("/orders/{order_no}"))),
        Progress::Running => false,
        Progress::Nothing => true,
    };
    let page = Page::StillWorking(StillWorking { sku, gave_up });
    Ok(render::page(&state, &frames, StatusCode::OK, page))
}

enum Progress {
    Ordered(String),
    Running,
    Nothing,
}

async fn progress(state: &AppState, session: &SessionId, attempt: &str) -> Result<Progress, sqlx::Error> {
    let key = order_key(&session.owner(), attempt);
    let mut connection = state.executor.database.reader().await?;
    if let Some(order_no) = number_of_key(&mut connection, &key.biz_key).await? {
        return Ok(Progress::Ordered(order_no));
    }
    let record = record::read(&mut connection, &key).await?;
    Ok(match record.map(|record| record.state) {
        Some(RecordState::Processing { lease_until }) if lease_until >= state.executor.clock.now() => Progress::Running,
        _ => Progress::Nothing,
    })
}
