//! `/problems`: the pages that the problem types' URIs lead to.

use super::{
    AppState,
    render::{self, Frames},
};
use crate::problem::{Problem, ProblemKind};
use app::pages::data::Page;
use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::StatusCode,
    response::Response,
};

/// Every type, how long keys live and what `Retry-After` means.
pub async fn list(State(state): State<AppState>, frames: Frames) -> Response {
    let types = ProblemKind::ALL.into_iter().map(ProblemKind::page).collect();
    render::page(&state, &frames, StatusCode::OK, Page::Problems(types))
}

/// One type.
pub async fn show(
    State(state): State<AppState>,
    frames: Frames,
    slug: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    let kind = slug
        .ok()
        .and_then(|Path(slug)| ProblemKind::ALL.into_iter().find(|kind| kind.slug() == slug))
        .ok_or_else(Problem::not_found)?;
    Ok(render::page(
        &state,
        &frames,
        StatusCode::OK,
        Page::Problem(kind.page()),
    ))
}
