//! Asking money back: a refund's row is its intent, written with the order's event.
//!
//! The channel is asked by the consumer of `REFUND_REQUESTED`. The natural key is the refund's number, which is the channel's
//! key too.

use super::{Payments, rows};
use crate::{
    caller::Caller,
    channels::{ChannelId, NewRefund},
    clock::{Clock, milliseconds},
    domain::order::{Order, OrderEvent, Source},
    durations::Durations,
    idempotency::{Answer, Applied, Call, Digest, FirstClaim, Operation, Outcome, Planned, ScopedKey, Unanswered},
    orders::{
        act::check_owner,
        advance::{self, Advanced},
    },
    problem::{Problem, ProblemKind},
};
use serde::Serialize;
use serde_json::json;
use sqlx::{AnyConnection, Row as _};

/// Kind of operation in the table of idempotent records.
const BIZ_TYPE: &str = "refund";

/// Most characters of a refund's number: what WeChat Pay and Alipay take.
pub const MAXIMUM_REFUND_NUMBER: usize = 64;
/// Most characters of a reason: what WeChat Pay takes.
pub const MAXIMUM_REASON: usize = 80;

/// A refund as asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefundRequest {
    /// The order.
    pub order_no: String,
    /// The refund's number, made by whoever asks, the same on every retry.
    pub refund_no: String,
    /// In fen, more than zero.
    pub amount_fen: i64,
    /// Why.
    pub reason: String,
}

impl Payments {
    /// Asks money of the caller's order back, at most once per refund number.
    pub async fn ask_refund(&self, caller: &Caller, request: RefundRequest) -> Result<Outcome, Problem> {
        check_owner(&self.executor, &request.order_no, &caller.owner()).await?;
        let call = Call {
            key: ScopedKey::new(BIZ_TYPE, &caller.owner(), &request.refund_no),
            digest: Digest::of(BIZ_TYPE, &request)?,
            first_claim: FirstClaim::Allowed,
            operation: AskRefund {
                request,
                source: caller.source(),
                clock: self.executor.clock,
                durations: self.executor.durations,
            },
        };
        let outcome = self.executor.execute(call).await;
        self.work.notify_waiters();
        Ok(outcome)
    }
}

#[derive(Debug)]
struct AskRefund {
    request: RefundRequest,
    source: Source,
    clock: Clock,
    durations: Durations,
}

impl Operation for AskRefund {
    /// The transaction that paid, from which the money goes back.
    type Plan = (ChannelId, NewRefund);
    type Reply = ();

    async fn ask(&self) -> Result<(), Unanswered> {
        Ok(())
    }

    async fn plan(&self, connection: &mut AnyConnection, (): &()) -> Result<Planned<Self::Plan>, sqlx::Error> {
        let request = &self.request;
        let Some((order, _)) = advance::read(connection, &request.order_no).await? else {
            return Ok(Planned::Refused(Problem::not_found().to_answer()));
        };
        let Some((channel, transaction_id)) = paying_transaction(&order) else {
            return Ok(Planned::Refused(too_large(&order)));
        };
        let payment_no = payment_of(connection, channel, transaction_id).await?;
        let refund = NewRefund {
            refund_no: request.refund_no.clone(),
            payment_no,
            transaction_id: transaction_id.to_owned(),
            amount_fen: request.amount_fen,
            paid_fen: order.paid_fen,
            reason: request.reason.clone(),
        };
        let body = json!({
            "refund_no": request.refund_no, "order_no": request.order_no, "amount_fen": request.amount_fen, "status": "ASKED",
        });
        let location = format!("/orders/{}", request.order_no);
        let headers = [("content-type", "application/json"), ("location", location.as_str())];
        Ok(Planned::Feasible(
            (channel, refund),
            Answer::new(201, &headers, body.to_string()),
        ))
    }

    async fn apply(
        &self,
        transaction: &mut AnyConnection,
        (channel, asked): &Self::Plan,
    ) -> Result<Applied, sqlx::Error> {
        let (now, order_no) = (self.clock.now(), &self.request.order_no);
        let event = OrderEvent::RefundAsked {
            refund_no: asked.refund_no.clone(),
            amount_fen: asked.amount_fen,
        };
        match advance::advance(transaction, order_no, &event, self.source, now).await? {
            Advanced::Moved { .. } => {}
            Advanced::Contended => return Ok(Applied::PlanIsStale),
            Advanced::NotFound => return Ok(Applied::Refused(Problem::not_found().to_answer())),
            Advanced::NothingToDo(order) | Advanced::Impossible(order) => {
                return Ok(Applied::Refused(too_large(&order)));
            }
        }
        let refund = rows::Refund {
            asked: asked.clone(),
            order_no: order_no.clone(),
            of_surplus: false,
            channel: *channel,
            status: String::new(),
            questions: 0,
            ask_at: now.saturating_add(milliseconds(self.durations.first_question)),
            created_at: now,
        };
        if rows::insert_refund(transaction, &refund, now).await? {
            return Ok(Applied::Done);
        }
        let detail = "Choose another number; this one belongs to another refund.";
        Ok(Applied::Refused(
            Problem::new(ProblemKind::RefundNumberTaken, detail).to_answer(),
        ))
    }
}

/// Channel and number of the transaction that paid an order.
pub(super) fn paying_transaction(order: &Order) -> Option<(ChannelId, &str)> {
    let (channel, transaction_id) = order.paid_by.split_once(':')?;
    Some((ChannelId::parse(channel)?, transaction_id))
}

async fn payment_of(
    connection: &mut AnyConnection,
    channel: ChannelId,
    transaction_id: &str,
) -> Result<String, sqlx::Error> {
    let row = sqlx::query("SELECT payment_no FROM payment WHERE channel = $1 AND transaction_id = $2")
        .bind(channel.as_str())
        .bind(transaction_id)
        .fetch_optional(connection)
        .await?;
    row.map_or_else(|| Ok(String::new()), |row| row.try_get("payment_no"))
}

fn too_large(order: &Order) -> Answer {
    let left = order.paid_fen - order.refund_asked_fen;
    let detail = format!("{left} fen of this order can be asked back.");
    Problem::new(ProblemKind::RefundTooLarge, detail)
        .with("refundable_fen", left)
        .with("order_status", order.status.as_str())
        .to_answer()
}
