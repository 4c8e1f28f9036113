//! `/health/live`: the process answers. `/health/ready`: it can serve, and which part is away if not.

use super::{AppState, no_store};
use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use serde_json::json;

/// The process answers.
pub async fn live() -> Response {
    no_store(Json(json!({ "status": "live" })).into_response())
}

/// Without the database nothing can be served. Without Redis everything can, only slower.
pub async fn ready(State(state): State<AppState>) -> Response {
    let database = database_is_up(&state).await;
    let redis = state.executor.gate.is_up().await;
    let status = match (database, redis) {
        (false, _) => "away",
        (true, Some(false)) => "degraded",
        (true, _) => "ready",
    };
    let word = |up| if up { "up" } else { "away" };
    let body = json!({
        "status": status,
        "parts": { "database": word(database), "redis": redis.map_or("not configured", word) },
    });
    let code = if database {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    no_store((code, Json(body)).into_response())
}

async fn database_is_up(state: &AppState) -> bool {
    let check = async {
        let mut connection = state.executor.database.reader().await?;
        sqlx::query("SELECT 1 AS one").fetch_one(&mut *connection).await
    };
    matches!(
        tokio::time::timeout(state.executor.durations.statement_timeout, check).await,
        Ok(Ok(_))
    )
}
