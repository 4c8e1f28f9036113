//! What the buttons of an order's page send: plain form posts that lead back to the page. What had no effect is said there.

use super::{
    AppState, body,
    order_number::{OrderNo, order_number},
    order_pages::{self, Shown},
    payment_api::return_url,
    render::Frames,
    see_other,
    session::Sessions,
};
use crate::{
    caller::Caller,
    faults::FaultPoint,
    idempotency::Outcome,
    orders::{
        act::{Act, act, check_owner},
        request::RequestError,
    },
    payments::requests::{RefundForm, channel_from_form},
    problem::{Problem, ProblemKind},
};
use app::pages::data::OrderNotice;
use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
};

/// One press of a button on an order's page.
struct Press {
    state: AppState,
    frames: Frames,
    caller: Caller,
    order_no: String,
    /// Where a press that has its effect leads.
    back: String,
}

/// `POST /orders/{order_no}/payments`
pub async fn pay(
    State(state): State<AppState>,
    frames: Frames,
    headers: HeaderMap,
    order_no: OrderNo,
    request_body: Body,
) -> Result<Response, Problem> {
    let body = body::read_form(&headers, request_body).await?;
    let mut press = Press::by(state, frames, &headers, order_no).await?;
    let channel = channel_from_form(&body)?;
    press.back = format!("{}?channel={channel}", press.back);
    let return_url = return_url(&press.state, &headers, &press.order_no);
    let outcome = press
        .state
        .payments
        .start(&press.caller, &press.order_no, channel, &return_url)
        .await;
    match outcome {
        Err(problem) if problem.kind == ProblemKind::ChannelNotAvailable => {
            press
                .again(StatusCode::CONFLICT, OrderNotice::ChannelRefused, None)
                .await
        }
        outcome => press.answer(outcome?, OrderNotice::PaymentUnreachable, None).await,
    }
}

/// `POST /orders/{order_no}/cancel`
pub async fn cancel(
    State(state): State<AppState>,
    frames: Frames,
    headers: HeaderMap,
    order_no: OrderNo,
) -> Result<Response, Problem> {
    let press = Press::by(state, frames, &headers, order_no).await?;
    press.act(Act::Cancel).await
}

/// `POST /orders/{order_no}/receipt`
pub async fn receipt(
    State(state): State<AppState>,
    frames: Frames,
    headers: HeaderMap,
    order_no: OrderNo,
) -> Result<Response, Problem> {
    let press = Press::by(state, frames, &headers, order_no).await?;
    press.act(Act::ConfirmReceipt).await
}

/// `POST /orders/{order_no}/refunds`
pub async fn refund(
    State(state): State<AppState>,
    frames: Frames,
    headers: HeaderMap,
    order_no: OrderNo,
    request_body: Body,
) -> Result<Response, Problem> {
    let body = body::read_form(&headers, request_body).await?;
    let press = Press::by(state, frames, &headers, order_no).await?;
    let typed = RefundForm::parse(&body)?;
    let request = match typed.meaning(&press.order_no) {
        Ok(request) => request,
        Err(RequestError::Fields(errors)) if errors.iter().all(|error| error.field != "refund_no") => {
            let amount_is_wrong = errors.iter().any(|error| error.field == "amount_fen");
            let notice = if amount_is_wrong {
                OrderNotice::RefundAmountInvalid
            } else {
                OrderNotice::RefundReasonInvalid
            };
            return press.again(StatusCode::UNPROCESSABLE_ENTITY, notice, Some(typed)).await;
        }
        // The hidden field was tampered with: nothing that a person typed.
        Err(error) => return Err(error.into()),
    };
    let outcome = press.state.payments.ask_refund(&press.caller, request).await?;
    press.answer(outcome, OrderNotice::StillWorking, Some(typed)).await
}

impl Press {
    /// Only the order's owner presses its buttons.
    async fn by(state: AppState, frames: Frames, headers: &HeaderMap, order_no: OrderNo) -> Result<Self, Problem> {
        let order_no = order_number(order_no)?;
        let session = Sessions::of(&state).find(headers).ok_or_else(Problem::not_found)?;
        let caller = Caller::Session(session);
        check_owner(&state.executor, &order_no, &caller.owner()).await?;
        let back = format!("/orders/{order_no}");
        Ok(Self {
            frames: frames.returning_to(&back),
            state,
            caller,
            order_no,
            back,
        })
    }

    async fn act(self, what: Act) -> Result<Response, Problem> {
        let (executor, caller) = (&self.state.executor, &self.caller);
        let outcome = act(executor, &caller.owner(), caller.source(), &self.order_no, what).await?;
        self.state.payments.work.notify_waiters();
        self.answer(outcome, OrderNotice::StillWorking, None).await
    }

    /// Back to the page if it has had its effect, now or before; else the page with what is wrong.
    async fn answer(
        self,
        outcome: Outcome,
        unknown: OrderNotice,
        typed: Option<RefundForm>,
    ) -> Result<Response, Problem> {
        self.state.executor.faults.pass(FaultPoint::BeforeAnswer).await;
        match outcome {
            Outcome::Done { .. } => Ok(see_other(&self.back)),
            Outcome::Refused(reason) => {
                let notice = notice_of(&reason.body);
                self.again(StatusCode::CONFLICT, notice, typed).await
            }
            Outcome::KeyReused(_) => {
                self.again(StatusCode::UNPROCESSABLE_ENTITY, OrderNotice::RefundNumberTaken, typed)
                    .await
            }
            Outcome::Running => self.again(StatusCode::CONFLICT, OrderNotice::StillWorking, typed).await,
            Outcome::Unavailable | Outcome::TooOld => self.again(StatusCode::SERVICE_UNAVAILABLE, unknown, typed).await,
            Outcome::Broken => Err(Problem::new(ProblemKind::InternalError, "The log has the details.")),
        }
    }

    async fn again(
        self,
        status: StatusCode,
        notice: OrderNotice,
        typed: Option<RefundForm>,
    ) -> Result<Response, Problem> {
        let Caller::Session(session) = &self.caller else {
            return Err(Problem::not_found());
        };
        let shown = Shown {
            notice: Some(notice),
            typed,
            channel: None,
        };
        order_pages::respond(&self.state, &self.frames, session, &self.order_no, status, shown).await
    }
}

/// What a refusal says to a buyer. Its body is a problem of ours.
fn notice_of(problem: &str) -> OrderNotice {
    let problem: serde_json::Value = serde_json::from_str(problem).unwrap_or_default();
    let slug = problem["type"]
        .as_str()
        .and_then(|uri| uri.rsplit('/').next())
        .unwrap_or("");
    match slug {
        "order-not-payable" => OrderNotice::NotPayable,
        "channel-refused" => OrderNotice::ChannelRefused,
        "order-not-cancellable" => OrderNotice::CannotCancel,
        "order-not-receivable" => OrderNotice::CannotConfirm,
        "refund-number-taken" => OrderNotice::RefundNumberTaken,
        "refund-too-large" => OrderNotice::RefundTooLarge {
            refundable_fen: problem["refundable_fen"].as_i64().unwrap_or(0),
        },
        _ => OrderNotice::StillWorking,
    }
}
