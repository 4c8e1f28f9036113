//! `/orders` and `/orders/{order_no}`: a session's own orders. Another's order looks like one that is not there.

use super::{
    AppState,
    render::{self, Frames},
    session::Sessions,
};
use crate::{
    caller::SessionId,
    domain::order_number::is_order_number,
    orders::read::{self, OrderRead},
    problem::Problem,
};
use app::pages::data::{OrderPage, OrderSummary, Page};
use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::{HeaderMap, HeaderName, Method, StatusCode},
    response::Response,
};

/// What a browser says that fetches ahead.
const SEC_PURPOSE: HeaderName = HeaderName::from_static("sec-purpose");

/// My orders.
pub async fn list(State(state): State<AppState>, frames: Frames, headers: HeaderMap) -> Result<Response, Problem> {
    let sessions = Sessions::of(&state);
    let Some(session) = sessions.find(&headers) else {
        return Ok(render::page(&state, &frames, StatusCode::OK, Page::Orders(Vec::new())));
    };
    let page = Page::Orders(list_of(&state, &session).await?);
    Ok(sessions.keep(render::page(&state, &frames, StatusCode::OK, page), &session))
}

async fn list_of(state: &AppState, session: &SessionId) -> Result<Vec<OrderSummary>, sqlx::Error> {
    let orders = read::list(&mut *state.executor.database.reader().await?, &session.owner()).await?;
    Ok(orders
        .into_iter()
        .map(|order| OrderSummary {
            order_no: order.order_no,
            status: order.status,
            total_fen: order.total_fen,
            pieces: order.pieces,
            created_at: order.created_at,
        })
        .collect())
}

/// One order. Its owner has seen it now, so the form that it came from may show a new token. Who only asks for the head, or fetches
/// ahead of a click that may never come, has not seen it.
pub async fn show(
    State(state): State<AppState>,
    method: Method,
    frames: Frames,
    headers: HeaderMap,
    order_no: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    let sessions = Sessions::of(&state);
    let order_no = order_no
        .ok()
        .map(|Path(number)| number)
        .filter(|number| is_order_number(number));
    let (Some(session), Some(order_no)) = (sessions.find(&headers), order_no) else {
        return Err(Problem::not_found());
    };
    let page = page_of(&state, &frames, &session, &order_no)
        .await?
        .ok_or_else(Problem::not_found)?;
    if method == Method::GET && !headers.contains_key(SEC_PURPOSE) {
        state.open_tokens.mark_seen(&session, &order_no).await?;
    }
    let page = Page::Order(Box::new(page));
    Ok(sessions.keep(render::page(&state, &frames, StatusCode::OK, page), &session))
}

async fn page_of(
    state: &AppState,
    frames: &Frames,
    session: &SessionId,
    order_no: &str,
) -> Result<Option<OrderPage>, sqlx::Error> {
    let found = {
        let mut connection = state.executor.database.reader().await?;
        read::find(&mut connection, order_no, &session.owner()).await?
    };
    let Some(OrderRead {
        order,
        name,
        phone,
        address,
        note,
        coupon,
    }) = found
    else {
        return Ok(None);
    };
    let catalog = state.products().await?;
    let products = order
        .order
        .items
        .iter()
        .map(|line| match catalog.iter().find(|product| product.sku == line.sku) {
            Some(product) => (product.in_language(frames.language).name, product.picture.clone()),
            None => (line.sku.clone(), String::new()),
        })
        .collect();
    let version = order.events.last().map_or(0, |event| event.version);
    Ok(Some(OrderPage {
        order,
        version,
        products,
        name,
        phone,
        address,
        note,
        coupon,
        channels: Vec::new(),
        open_payment: None,
        can_cancel: false,
        can_confirm_receipt: false,
        refundable_fen: 0,
        refund_no: String::new(),
        refund_amount: None,
        refund_reason: String::new(),
        notice: None,
    }))
}
