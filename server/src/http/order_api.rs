//! The JSON API: tokens, products, orders.

use super::{
    AppState, authenticate,
    body::{self, BodyKind},
    key, no_store,
    order_number::{OrderNo, order_number},
    render::Frames,
    reply,
    session::Sessions,
};
use crate::{
    caller::SessionId,
    clock::{milliseconds, rfc3339},
    faults::FaultPoint,
    orders::{
        read,
        request::{FormFields, OrderRequest},
    },
    problem::{Problem, ProblemKind},
    tokens::{Form, SubmitToken},
};
use axum::{
    Json,
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use serde_json::json;

/// `POST /api/submit-tokens`: a token of its own at each call, and a session if there was none.
pub async fn issue_token(State(state): State<AppState>, headers: HeaderMap) -> Response {
    let sessions = Sessions::of(&state);
    let session = sessions.find(&headers).unwrap_or_else(SessionId::new);
    let token = SubmitToken::issue(&state.submission.keys, &session, Form::Api, state.executor.clock.now());
    let expires_at = token
        .issued_at()
        .saturating_add(milliseconds(state.executor.durations.token_life));
    let body = Json(json!({ "token": token.text, "expires_at": rfc3339(expires_at) }));
    sessions.keep(no_store((StatusCode::CREATED, body).into_response()), &session)
}

/// `GET /api/products`
pub async fn products(State(state): State<AppState>, frames: Frames) -> Result<Response, Problem> {
    let products = state.products().await?;
    let products: Vec<_> = products
        .iter()
        .map(|product| product.in_language(frames.language))
        .collect();
    let mut response = no_store(Json(json!({ "products": products })).into_response());
    response
        .headers_mut()
        .insert(header::VARY, HeaderValue::from_static("Accept-Language, Cookie"));
    Ok(response)
}

/// `POST /api/orders`: places an order once per key, from JSON or from the form's fields.
pub async fn place(State(state): State<AppState>, headers: HeaderMap, request_body: Body) -> Response {
    let answered = async {
        let (kind, body) = read_body(&headers, request_body).await?;
        let fields = match kind {
            BodyKind::Json => None,
            BodyKind::Form => Some(FormFields::parse(&body).map_err(Problem::from)?),
        };
        let key = key::take(
            &headers,
            fields.as_ref().and_then(|fields| fields.submit_token.as_deref()),
        )?;
        let caller = authenticate::caller(&state, &headers)?;
        state
            .submission
            .submit(caller, &key, || match &fields {
                Some(fields) => OrderRequest::from_form(fields),
                None => OrderRequest::from_json(&body),
            })
            .await
    };
    match answered.await {
        Ok(outcome) => {
            state.executor.faults.pass(FaultPoint::BeforeAnswer).await;
            reply::outcome(&outcome)
        }
        Err(problem) => problem.into_response(),
    }
}

async fn read_body(headers: &HeaderMap, request_body: Body) -> Result<(BodyKind, axum::body::Bytes), Problem> {
    let body = body::read(headers, request_body).await?;
    // A client that re-sends a key with a drained body has often lost the type as well: say what is really missing.
    if body.is_empty() {
        key::take(headers, None)?;
        return Err(Problem::new(ProblemKind::MalformedRequest, "The body is empty."));
    }
    Ok((body::kind(headers)?, body))
}

/// `GET /api/orders/{order_no}`: the order and its journal, for its owner.
pub async fn read(State(state): State<AppState>, headers: HeaderMap, order_no: OrderNo) -> Result<Response, Problem> {
    let owner = match authenticate::caller(&state, &headers) {
        Ok(caller) => caller.owner(),
        Err(problem) if problem.kind == ProblemKind::Unauthorized => return Err(problem),
        Err(_) => return Err(Problem::not_found()),
    };
    let order_no = order_number(order_no)?;
    let found = {
        // The order, its payments and its journal, as they stand at one moment.
        let mut connection = state.executor.database.reader().await.map_err(Problem::from)?;
        let mut snapshot = state
            .executor
            .database
            .snapshot(&mut connection)
            .await
            .map_err(Problem::from)?;
        read::find(&mut snapshot, &order_no, &owner).await?
    };
    let found = found.ok_or_else(Problem::not_found)?;
    Ok(no_store(Json(found.order).into_response()))
}
