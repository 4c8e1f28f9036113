//! The JSON API of what is done with a placed order: pay, cancel, ask money back, confirm the receipt. Each is idempotent by its
//! natural key: the open payment, the order's number, the refund's number.

use super::{
    AppState, authenticate, body,
    order_number::{OrderNo, order_number},
    reply,
};
use crate::{
    caller::Caller,
    faults::FaultPoint,
    idempotency::Outcome,
    orders::act::{Act, act, check_owner},
    payments::requests::{channel_from_json, refund_from_json},
    problem::{Problem, ProblemKind},
};
use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, header},
    response::Response,
};

/// `POST /api/orders/{order_no}/payments`
pub async fn pay(
    State(state): State<AppState>,
    headers: HeaderMap,
    order_no: OrderNo,
    request_body: Body,
) -> Result<Response, Problem> {
    let (caller, order_no) = who_and_what(&state, &headers, order_no)?;
    let body = body::read_json(&headers, request_body).await?;
    check_owner(&state.executor, &order_no, &caller.owner()).await?;
    let channel = channel_from_json(&body)?;
    let return_url = return_url(&state, &headers, &order_no);
    let outcome = state.payments.start(&caller, &order_no, channel, &return_url).await?;
    Ok(answer(&state, &outcome).await)
}

/// `POST /api/orders/{order_no}/cancel`
pub async fn cancel(State(state): State<AppState>, headers: HeaderMap, order_no: OrderNo) -> Result<Response, Problem> {
    do_with_order(&state, &headers, order_no, Act::Cancel).await
}

/// `POST /api/orders/{order_no}/receipt`
pub async fn receipt(
    State(state): State<AppState>,
    headers: HeaderMap,
    order_no: OrderNo,
) -> Result<Response, Problem> {
    do_with_order(&state, &headers, order_no, Act::ConfirmReceipt).await
}

/// `POST /api/orders/{order_no}/refunds`
pub async fn refund(
    State(state): State<AppState>,
    headers: HeaderMap,
    order_no: OrderNo,
    request_body: Body,
) -> Result<Response, Problem> {
    let (caller, order_no) = who_and_what(&state, &headers, order_no)?;
    let body = body::read_json(&headers, request_body).await?;
    check_owner(&state.executor, &order_no, &caller.owner()).await?;
    let request = refund_from_json(&order_no, &body)?;
    let outcome = state.payments.ask_refund(&caller, request).await?;
    Ok(answer(&state, &outcome).await)
}

async fn do_with_order(
    state: &AppState,
    headers: &HeaderMap,
    order_no: OrderNo,
    what: Act,
) -> Result<Response, Problem> {
    let (caller, order_no) = who_and_what(state, headers, order_no)?;
    check_owner(&state.executor, &order_no, &caller.owner()).await?;
    let outcome = act(&state.executor, &caller.owner(), caller.source(), &order_no, what).await?;
    state.payments.work.notify_waiters();
    Ok(answer(state, &outcome).await)
}

async fn answer(state: &AppState, outcome: &Outcome) -> Response {
    state.executor.faults.pass(FaultPoint::BeforeAnswer).await;
    reply::outcome(outcome)
}

/// Who asks, and the order's number. Somebody without a session has no orders.
fn who_and_what(state: &AppState, headers: &HeaderMap, order_no: OrderNo) -> Result<(Caller, String), Problem> {
    let caller = match authenticate::caller(state, headers) {
        Err(problem) if problem.kind != ProblemKind::Unauthorized => Err(Problem::not_found()),
        other => other,
    }?;
    Ok((caller, order_number(order_no)?))
}

/// Where a provider leads the buyer back to: the public URL, else the address by which the buyer came.
pub fn return_url(state: &AppState, headers: &HeaderMap, order_no: &str) -> String {
    let base = match &state.settings.public_url {
        Some(url) => url.to_string(),
        None => {
            let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
            format!("http://{}", host.unwrap_or("127.0.0.1"))
        }
    };
    format!("{}/orders/{order_no}", base.trim_end_matches('/'))
}
