//! `/`: the catalog.

use super::{
    AppState,
    render::{self, Frames},
};
use crate::problem::Problem;
use app::pages::data::Page;
use axum::{extract::State, http::StatusCode, response::Response};

/// Shows every product.
pub async fn show(State(state): State<AppState>, frames: Frames) -> Result<Response, Problem> {
    let products = state.products().await?;
    let products = products
        .iter()
        .map(|product| product.in_language(frames.language))
        .collect();
    Ok(render::page(&state, &frames, StatusCode::OK, Page::Catalog(products)))
}
