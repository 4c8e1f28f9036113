//! `GET /metrics`: what was counted, in Prometheus' text format.

use axum::{
    http::header,
    response::{IntoResponse as _, Response},
};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use std::sync::OnceLock;

static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Begins to count. One recorder per process, whoever comes first.
pub fn begin() {
    recorder();
}

fn recorder() -> Option<&'static PrometheusHandle> {
    RECORDER
        .get_or_init(|| PrometheusBuilder::new().install_recorder().ok())
        .as_ref()
}

/// Shows the counts.
pub async fn show() -> Response {
    let text = recorder().map(PrometheusHandle::render).unwrap_or_default();
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    super::no_store((kind, text).into_response())
}
