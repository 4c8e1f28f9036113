//! HTTP: what is routed where, and what every request passes on its way.
//!
//! From the outside in: request id, trace, security headers, problems become pages for browsers, a panic becomes a problem, the
//! time limit, the cross-site guard, the route. Reading the body (with its limit) is the route's own first step.

pub mod authenticate;
pub mod body;
pub mod callbacks;
pub mod catalog_page;
pub mod guard;
pub mod health;
pub mod key;
pub mod language;
pub mod metrics_page;
pub mod order_api;
pub mod order_changes;
pub mod order_form;
pub mod order_number;
pub mod order_pages;
pub mod payment_api;
pub mod payment_pages;
pub mod problem_pages;
pub mod render;
pub mod reply;
pub mod session;

use crate::{
    catalog::{self, StoredProduct},
    config::Settings,
    idempotency::Executor,
    orders::submit::Submission,
    payments::Payments,
    problem::{Problem, ProblemKind},
    tokens::OpenTokens,
};
use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderName, HeaderValue, header},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::{any, get, post},
};
use leptos::config::LeptosOptions;
use std::{path::Path, sync::Arc};
use tokio_util::sync::CancellationToken;
use tower::ServiceBuilder;
use tower_http::{
    catch_panic::CatchPanicLayer,
    request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer},
    services::ServeDir,
    set_header::SetResponseHeaderLayer,
    trace::TraceLayer,
};

/// What the routes work with.
#[derive(Clone, Debug)]
pub struct AppState {
    /// The settings.
    pub settings: Arc<Settings>,
    /// Runs idempotent writes; also holds the database, the clock and the durations.
    pub executor: Arc<Executor>,
    /// Submits orders.
    pub submission: Submission,
    /// The tokens that forms show.
    pub open_tokens: OpenTokens,
    /// Payments, refunds, callbacks.
    pub payments: Payments,
    /// Set when the server stops: whatever would stay open ends.
    pub stop: CancellationToken,
    /// How Leptos finds the site's files.
    pub leptos: LeptosOptions,
}

impl AppState {
    /// Every product, for a page.
    pub async fn products(&self) -> Result<Vec<StoredProduct>, sqlx::Error> {
        catalog::products(&mut *self.executor.database.reader().await?).await
    }
}

/// The whole site. The sandbox gateway, if it is built in, stands below `/sandbox`.
pub fn router(state: AppState, gateway: Option<Router>, site_root: &Path) -> Router {
    let header = |name: &'static str, value: &'static str| {
        SetResponseHeaderLayer::if_not_present(HeaderName::from_static(name), HeaderValue::from_static(value))
    };
    let pages = Router::new()
        .route("/", get(catalog_page::show))
        .route("/order/new", get(order_form::show).post(order_form::post::post))
        .route("/order/restart", post(order_form::post::restart))
        .route("/order/waiting", get(order_form::waiting::show))
        .route("/orders", get(order_pages::list))
        .route("/orders/{order_no}", get(order_pages::show))
        .route("/orders/{order_no}/changes", get(order_changes::listen))
        .route("/orders/{order_no}/payments", post(payment_pages::pay))
        .route("/orders/{order_no}/cancel", post(payment_pages::cancel))
        .route("/orders/{order_no}/refunds", post(payment_pages::refund))
        .route("/orders/{order_no}/receipt", post(payment_pages::receipt))
        .route("/language", post(language::choose))
        .route("/problems", get(problem_pages::list))
        .route("/problems/{slug}", get(problem_pages::show));
    let api = Router::new()
        .route("/api/submit-tokens", post(order_api::issue_token))
        .route("/api/products", get(order_api::products))
        .route("/api/orders", post(order_api::place))
        .route("/api/orders/{order_no}", get(order_api::read))
        .route("/api/orders/{order_no}/payments", post(payment_api::pay))
        .route("/api/orders/{order_no}/cancel", post(payment_api::cancel))
        .route("/api/orders/{order_no}/refunds", post(payment_api::refund))
        .route("/api/orders/{order_no}/receipt", post(payment_api::receipt))
        .route("/callbacks/{channel}", post(callbacks::receive))
        .route("/metrics", get(metrics_page::show))
        .route("/health/live", get(health::live))
        .route("/health/ready", get(health::ready));
    // The names in `/pkg` carry a hash of their content; nothing at such a name ever changes.
    let pkg = ServiceBuilder::new()
        .layer(header("cache-control", "public, max-age=31536000, immutable"))
        .service(
            ServeDir::new(site_root.join("pkg"))
                .precompressed_br()
                .precompressed_gzip()
                .call_fallback_on_method_not_allowed(true)
                .fallback(any(not_found)),
        );
    let files = ServiceBuilder::new()
        .layer(header("cache-control", "public, max-age=3600"))
        .service(
            ServeDir::new(site_root)
                .append_index_html_on_directories(false)
                .precompressed_br()
                .precompressed_gzip()
                .call_fallback_on_method_not_allowed(true)
                .fallback(any(not_found)),
        );
    let mut site = Router::new().merge(pages).merge(api).nest_service("/pkg", pkg);
    if let Some(gateway) = gateway {
        site = site.nest_service("/sandbox", gateway);
    }
    site.method_not_allowed_fallback(method_not_allowed)
        .fallback_service(files)
        .layer(
            ServiceBuilder::new()
                .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
                .layer(TraceLayer::new_for_http().make_span_with(span))
                .layer(PropagateRequestIdLayer::x_request_id())
                .layer(header("x-content-type-options", "nosniff"))
                .layer(header("referrer-policy", "same-origin"))
                .layer(header("cross-origin-opener-policy", "same-origin"))
                .layer(header(
                    "content-security-policy",
                    "default-src 'none'; frame-ancestors 'none'",
                ))
                .layer(middleware::from_fn_with_state(state.clone(), render::problems_as_pages))
                .layer(CatchPanicLayer::custom(|_| {
                    reply::problem(&Problem::new(ProblemKind::InternalError, "The log has the details."))
                }))
                .layer(middleware::from_fn_with_state(state.clone(), time_limit))
                .layer(middleware::from_fn_with_state(state.clone(), guard::cross_site)),
        )
        .with_state(state)
}

/// A log line names method and path. Queries, headers and bodies can hold what is personal, so they stay out.
fn span(request: &Request) -> tracing::Span {
    let id = request
        .headers()
        .get("x-request-id")
        .and_then(|id| id.to_str().ok())
        .unwrap_or("");
    tracing::info_span!("request", method = %request.method(), path = request.uri().path(), id)
}

async fn time_limit(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let limit = state.executor.durations.request_timeout;
    tokio::time::timeout(limit, next.run(request))
        .await
        .unwrap_or_else(|_| {
            // Whatever was started goes on: a retry with the same key finds its result.
            reply::problem(&Problem::new(
                ProblemKind::Unavailable,
                "The request took too long. Retry with the same key.",
            ))
        })
}

async fn not_found() -> Problem {
    Problem::not_found()
}

async fn method_not_allowed() -> Problem {
    Problem::new(ProblemKind::MethodNotAllowed, "This address has other methods.")
}

fn is_api(path: &str) -> bool {
    ["/api/", "/health/", "/callbacks/", "/metrics"]
        .iter()
        .any(|programs| path.starts_with(programs))
}

/// Keeps an answer out of every cache: it is personal, or carries a token.
pub fn no_store(mut response: Response) -> Response {
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Leads a browser on to another page with a GET.
pub fn see_other(location: &str) -> Response {
    let Ok(location) = HeaderValue::from_str(location) else {
        return reply::problem(&Problem::new(
            ProblemKind::InternalError,
            "There is no way on from here.",
        ));
    };
    (axum::http::StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response()
}
