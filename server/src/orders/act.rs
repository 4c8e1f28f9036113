//! What a person does with a placed order beside paying: cancels it, says that it arrived, sends it off.
//!
//! Each is one event of the state machine behind the executor, whose natural key is the order's number.

use super::advance::{Advanced, advance};
use crate::{
    clock::Clock,
    domain::order::{OrderEvent, Source, Status},
    idempotency::{
        Answer, Applied, Call, Digest, Executor, FirstClaim, Operation, Outcome, Planned, ScopedKey, Unanswered,
    },
    problem::{Problem, ProblemKind},
};
use serde_json::json;
use sqlx::{AnyConnection, Row as _};
use std::sync::Arc;

/// What can be done with an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Cancel it before it is paid.
    Cancel,
    /// Say that the goods arrived.
    ConfirmReceipt,
    /// Send the goods off.
    Ship,
}

impl Act {
    fn biz_type(self) -> &'static str {
        match self {
            Self::Cancel => "order.cancel",
            Self::ConfirmReceipt => "order.receipt",
            Self::Ship => "order.ship",
        }
    }

    fn event(self) -> OrderEvent {
        match self {
            Self::Cancel => OrderEvent::Cancelled,
            Self::ConfirmReceipt => OrderEvent::Received,
            Self::Ship => OrderEvent::Shipped,
        }
    }

    fn to(self) -> Status {
        match self {
            Self::Cancel => Status::Closed,
            Self::ConfirmReceipt => Status::Completed,
            Self::Ship => Status::Shipped,
        }
    }

    fn refusal(self, status: Status) -> Problem {
        let (kind, detail) = match self {
            Self::Cancel => (
                ProblemKind::OrderNotCancellable,
                "Only an order that waits for its payment can be cancelled; a paid one can be refunded.",
            ),
            Self::ConfirmReceipt => (
                ProblemKind::OrderNotReceivable,
                "Only an order that is on its way can arrive.",
            ),
            Self::Ship => (ProblemKind::OrderNotReceivable, "Only a paid order can be shipped."),
        };
        Problem::new(kind, detail).with("order_status", status.as_str())
    }
}

/// Does something with an order at most once. The owner is checked before; an operator has none.
pub async fn act(
    executor: &Arc<Executor>,
    who: &str,
    source: Source,
    order_no: &str,
    what: Act,
) -> Result<Outcome, Problem> {
    let call = Call {
        key: ScopedKey::new(what.biz_type(), who, order_no),
        digest: Digest::of(what.biz_type(), &order_no)?,
        first_claim: FirstClaim::Allowed,
        operation: ActOnOrder {
            order_no: order_no.to_owned(),
            what,
            source,
            clock: executor.clock,
        },
    };
    Ok(executor.execute(call).await)
}

/// Whether an order is that owner's; anybody else's looks like one that is not there.
pub async fn check_owner(executor: &Executor, order_no: &str, owner: &str) -> Result<(), Problem> {
    let mut connection = executor.database.reader().await?;
    let row = sqlx::query("SELECT owner FROM orders WHERE order_no = $1")
        .bind(order_no)
        .fetch_optional(&mut *connection)
        .await?;
    let theirs = match row {
        Some(row) => row.try_get::<String, _>("owner")? == owner,
        None => false,
    };
    if theirs { Ok(()) } else { Err(Problem::not_found()) }
}

#[derive(Debug)]
struct ActOnOrder {
    order_no: String,
    what: Act,
    source: Source,
    clock: Clock,
}

impl Operation for ActOnOrder {
    type Plan = ();
    type Reply = ();

    async fn ask(&self) -> Result<(), Unanswered> {
        Ok(())
    }

    async fn plan(&self, _: &mut AnyConnection, (): &()) -> Result<Planned<()>, sqlx::Error> {
        let body = json!({ "order_no": self.order_no, "status": self.what.to().as_str() });
        let location = format!("/orders/{}", self.order_no);
        let headers = [("content-type", "application/json"), ("location", location.as_str())];
        Ok(Planned::Feasible((), Answer::new(200, &headers, body.to_string())))
    }

    async fn apply(&self, transaction: &mut AnyConnection, (): &()) -> Result<Applied, sqlx::Error> {
        let event = self.what.event();
        let advanced = advance(transaction, &self.order_no, &event, self.source, self.clock.now()).await?;
        Ok(match advanced {
            Advanced::Moved { .. } => Applied::Done,
            Advanced::Contended => Applied::PlanIsStale,
            Advanced::NotFound => Applied::Refused(Problem::not_found().to_answer()),
            // Somebody else (the deadline, another key) brought it there: not this request's success.
            Advanced::NothingToDo(order) | Advanced::Impossible(order) => {
                Applied::Refused(self.what.refusal(order.status).to_answer())
            }
        })
    }
}
