//! `GET /order/waiting?sku=…`: refreshes itself until the form's order is there, or until nobody works on it any more.

use super::{FormAddress, read_address};
use crate::{
    caller::SessionId,
    http::{
        AppState,
        render::{self, Frames},
        see_other,
        session::Sessions,
    },
    idempotency::record::{self, State as RecordState},
    problem::Problem,
    tokens::{Form, SubmitToken, order_key},
};
use app::pages::data::{Page, StillWorking};
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
};

/// `GET /order/waiting?sku=…`
pub async fn show(
    State(state): State<AppState>,
    frames: Frames,
    headers: HeaderMap,
    query: FormAddress,
) -> Result<Response, Problem> {
    let (sku, _) = read_address(query)?;
    let session = Sessions::of(&state).find(&headers).ok_or_else(Problem::not_found)?;
    let gave_up = match progress(&state, &session, &sku).await? {
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

async fn progress(state: &AppState, session: &SessionId, sku: &str) -> Result<Progress, sqlx::Error> {
    let form = Form::Order { sku: sku.to_owned() };
    let open = state.open_tokens.current(session, &form).await?;
    if let Some(order_no) = open.order_no {
        return Ok(Progress::Ordered(order_no));
    }
    let Some(token) = SubmitToken::verify(&state.submission.keys, session, &open.token) else {
        return Ok(Progress::Nothing);
    };
    let key = order_key(&session.owner(), &token.key());
    let record = record::read(&mut *state.executor.database.reader().await?, &key).await?;
    Ok(match record.map(|record| record.state) {
        Some(RecordState::Processing { lease_until }) if lease_until >= state.executor.clock.now() => Progress::Running,
        _ => Progress::Nothing,
    })
}
