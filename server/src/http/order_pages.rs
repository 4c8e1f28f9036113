//! `/orders` and `/orders/{order_no}`: a session's own orders. Another's order looks like one that is not there.

use super::{
    AppState,
    order_number::{OrderNo, order_number},
    render::{self, Frames},
    session::Sessions,
};
use crate::{
    caller::SessionId,
    orders::read::{self, OrderRead},
    payments::{read::payable_channels, requests::RefundForm},
    problem::Problem,
};
use app::{
    pages::data::{OpenPayment, OrderNotice, OrderPage, OrderSummary, Page},
    wire::OrderWithJournal,
};
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    http::{HeaderMap, HeaderName, Method, StatusCode},
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use qrcode::{QrCode, render::svg};
use serde::Deserialize;

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
    order_no: OrderNo,
    chosen: Result<Query<Chosen>, QueryRejection>,
) -> Result<Response, Problem> {
    let order_no = order_number(order_no)?;
    let session = Sessions::of(&state).find(&headers).ok_or_else(Problem::not_found)?;
    let shown = Shown {
        channel: chosen.ok().and_then(|Query(chosen)| chosen.channel),
        ..Shown::default()
    };
    let found = respond(&state, &frames, &session, &order_no, StatusCode::OK, shown).await?;
    if method == Method::GET && !headers.contains_key(SEC_PURPOSE) {
        state.open_tokens.mark_seen(&session, &order_no).await?;
    }
    Ok(found)
}

/// The query of an order's page: the channel whose button was pressed last.
#[derive(Debug, Deserialize)]
pub struct Chosen {
    channel: Option<String>,
}

/// What an order's page shows besides the order: why the last press had no effect, and what was typed.
#[derive(Debug, Default)]
pub struct Shown {
    /// Why the last press had no effect.
    pub notice: Option<OrderNotice>,
    /// The refund form as typed.
    pub typed: Option<RefundForm>,
    /// The channel whose open payment comes first; otherwise the newest does.
    pub channel: Option<String>,
}

/// The page of an owner's order, with a status.
pub async fn respond(
    state: &AppState,
    frames: &Frames,
    session: &SessionId,
    order_no: &str,
    status: StatusCode,
    shown: Shown,
) -> Result<Response, Problem> {
    let page = page_of(state, frames, session, order_no, shown)
        .await?
        .ok_or_else(Problem::not_found)?;
    let response = render::page(state, frames, status, Page::Order(Box::new(page)));
    Ok(Sessions::of(state).keep(response, session))
}

async fn page_of(
    state: &AppState,
    frames: &Frames,
    session: &SessionId,
    order_no: &str,
    shown: Shown,
) -> Result<Option<OrderPage>, sqlx::Error> {
    let found = {
        // The order, its payments and its journal, as they stand at one moment.
        let mut connection = state.executor.database.reader().await?;
        let mut snapshot = state.executor.database.snapshot(&mut connection).await?;
        read::find(&mut snapshot, order_no, &session.owner()).await?
    };
    let Some(OrderRead {
        order,
        name,
        phone,
        address,
        note,
        coupon,
        version,
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
    let body = &order.order;
    let channels = payable_channels(&state.payments.channels, &body.status, body.total_fen)
        .into_iter()
        .map(|channel| channel.as_str().to_owned())
        .collect();
    let refundable = matches!(body.status.as_str(), "PAID" | "SHIPPED" | "COMPLETED");
    let typed = shown.typed.unwrap_or_default();
    Ok(Some(OrderPage {
        version,
        products,
        name,
        phone,
        address,
        note,
        coupon,
        channels,
        open_payment: open_payment(&order, shown.channel.as_deref()),
        can_cancel: body.status == "WAIT_PAY",
        can_confirm_receipt: body.status == "SHIPPED",
        refundable_fen: if refundable {
            order.paid_fen - order.refund_asked_fen
        } else {
            0
        },
        // A number of this page alone: however often its form is sent, it is one refund.
        refund_no: Some(typed.refund_no)
            .filter(|number| !number.is_empty())
            .unwrap_or_else(|| format!("RF-{}", uuid::Uuid::now_v7().simple())),
        refund_amount: Some(typed.amount).filter(|amount| !amount.is_empty()),
        refund_reason: typed.reason,
        notice: shown.notice,
        order,
    }))
}

/// The payment that waits for the buyer while the order can be paid: the chosen channel's, else the newest that is open.
fn open_payment(order: &OrderWithJournal, chosen: Option<&str>) -> Option<OpenPayment> {
    if order.order.status != "WAIT_PAY" {
        return None;
    }
    let mut open = order.payments.iter().rev().filter(|payment| payment.action.is_some());
    let newest = open.clone().next()?;
    let payment = open
        .find(|payment| Some(payment.channel.as_str()) == chosen)
        .unwrap_or(newest);
    let action = payment.action.as_ref()?;
    let is_code = action.kind == "qr";
    // A real code's text is of the provider's own app; the sandbox's is an address that this very device can open.
    let is_address = action.url.starts_with("http://") || action.url.starts_with("https://");
    Some(OpenPayment {
        channel: payment.channel.clone(),
        kind: action.kind.clone(),
        url: action.url.clone(),
        qr_image: if is_code { qr_image(&action.url) } else { None },
        payable_here: (is_code && is_address).then(|| action.url.clone()),
    })
}

/// A QR code as an image that needs no further request. None for a text that no code can hold.
fn qr_image(text: &str) -> Option<String> {
    let code = QrCode::new(text.as_bytes()).ok()?;
    let drawing = code.render::<svg::Color<'_>>().min_dimensions(240, 240).build();
    Some(format!("data:image/svg+xml;base64,{}", STANDARD.encode(drawing)))
}
