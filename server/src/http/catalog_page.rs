//! `/`: the catalog.

use super::{
    AppState,
    render::{self, Frames},
};
use app::pages::data::Page;
use axum::{extract::State, http::StatusCode, response::Response};

/// Shows every product.
pub async fn show(State(state): State<AppState>, frames: Frames) -> Response {
    match state.products().await {
        Ok(products) => {
            let products = products
                .iter()
                .map(|product| product.in_language(frames.language))
                .collect();
            render::page(&state, &frames, StatusCode::OK, Page::Catalog(products)).await
        }
        Err(error) => render::read_failed(&state, &frames, &error).await,
    }
}
