//! Letting a fact count once: money that came, a payment that ended, money that went back.
//!
//! One fact is one key of the executor, whichever way and however often it is told: the transaction or refund number and the kind
//! of event, never the notification's own id. The order's row decides what the fact means; the ledgers' unique keys make "once"
//! outlive the record.

use super::{
    Payments,
    anomalies::{self, AnomalyKind, NewAnomaly},
    rows, transaction_name,
};
use crate::{
    channels::{ChannelId, Fact, NewRefund, PaidFact},
    clock::{Clock, milliseconds},
    domain::order::{Effect, OrderEvent, Source, SurplusReason},
    durations::Durations,
    idempotency::{Answer, Applied, Call, Digest, FirstClaim, Operation, Outcome, Planned, ScopedKey, Unanswered},
    orders::advance::{Advanced, advance},
};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use sqlx::AnyConnection;

/// Kind of operation in the table of idempotent records.
const BIZ_TYPE: &str = "channel.fact";

/// A fact that has passed every check, and whose order it is.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The channel.
    pub channel: ChannelId,
    /// The order.
    pub order_no: String,
    /// Whose money it is.
    pub merchant: String,
    /// What is told.
    pub fact: Fact,
}

/// What makes two tellings the same: nothing that changes with each retry is in it.
#[derive(Serialize)]
struct Meaning<'a> {
    kind: &'static str,
    payment_no: &'a str,
    number: &'a str,
    amount_fen: i64,
    currency: &'a str,
    merchant: &'a str,
}

impl Checked {
    /// The fact's one name: the kind of event and the number of what it happened to.
    pub fn key(&self) -> String {
        let meaning = self.meaning();
        format!("{}:{}", meaning.kind, meaning.number)
    }

    fn meaning(&self) -> Meaning<'_> {
        let (kind, payment_no, number, amount_fen, currency) = match &self.fact {
            Fact::Paid(paid) => (
                "paid",
                paid.payment_no.as_str(),
                paid.transaction_id.as_str(),
                paid.amount_fen,
                paid.currency.as_str(),
            ),
            Fact::PaymentEnded { payment_no, failed } => {
                let kind = if *failed { "failed" } else { "closed" };
                (kind, payment_no.as_str(), payment_no.as_str(), 0, "")
            }
            // The refund's row says how much it is; a notification that says something else has not come this far.
            Fact::Refunded { refund_no, .. } => ("refunded", "", refund_no.as_str(), 0, ""),
            Fact::RefundRefused { refund_no, .. } => ("refund_refused", "", refund_no.as_str(), 0, ""),
            Fact::NothingFinal { kind } => ("nothing", "", kind.as_str(), 0, ""),
        };
        let merchant = if matches!(self.fact, Fact::Paid(_)) {
            self.merchant.as_str()
        } else {
            ""
        };
        Meaning {
            kind,
            payment_no,
            number,
            amount_fen,
            currency,
            merchant,
        }
    }
}

impl Payments {
    /// Lets a fact count, at most once.
    pub(super) async fn settle(&self, checked: Checked) -> Result<Outcome, serde_json::Error> {
        let call = Call {
            key: ScopedKey::new(BIZ_TYPE, checked.channel.as_str(), &checked.key()),
            digest: Digest::of(BIZ_TYPE, &checked.meaning())?,
            first_claim: FirstClaim::Allowed,
            operation: Settle {
                checked,
                clock: self.executor.clock,
                durations: self.executor.durations,
            },
        };
        let outcome = self.executor.execute(call).await;
        // Whatever follows from it (a refund of surplus money, the release of stock) need not wait for the next look.
        self.work.notify_waiters();
        Ok(outcome)
    }
}

#[derive(Debug)]
struct Settle {
    checked: Checked,
    clock: Clock,
    durations: Durations,
}

/// What there is to do.
#[derive(Debug)]
enum Plan {
    Nothing,
    TakeMoney(PaidFact),
    EndPayment {
        payment_no: String,
        failed: bool,
    },
    EndRefund {
        refund: rows::Refund,
        refused: Option<String>,
    },
}

impl Operation for Settle {
    type Plan = Plan;
    type Reply = ();

    async fn ask(&self) -> Result<(), Unanswered> {
        Ok(())
    }

    async fn plan(&self, connection: &mut AnyConnection, (): &()) -> Result<Planned<Plan>, sqlx::Error> {
        let plan = match &self.checked.fact {
            Fact::Paid(paid) => {
                match rows::order_of_money(connection, self.checked.channel, &paid.transaction_id).await? {
                    None => Plan::TakeMoney(paid.clone()),
                    Some(order_no) if order_no == self.checked.order_no => Plan::Nothing,
                    // The record that would tell has gone; the money has not. Refused, so that this claims no key of the true owner's.
                    Some(_) => return Ok(Planned::Refused(Answer::new(200, &[], String::new()))),
                }
            }
            Fact::PaymentEnded { payment_no, failed } => Plan::EndPayment {
                payment_no: payment_no.clone(),
                failed: *failed,
            },
            Fact::Refunded { refund_no, .. } => end_refund(connection, refund_no, None).await?,
            Fact::RefundRefused { refund_no, reason, .. } => {
                end_refund(connection, refund_no, Some(reason.clone())).await?
            }
            Fact::NothingFinal { .. } => Plan::Nothing,
        };
        Ok(Planned::Feasible(plan, Answer::new(200, &[], String::new())))
    }

    async fn apply(&self, transaction: &mut AnyConnection, plan: &Plan) -> Result<Applied, sqlx::Error> {
        match plan {
            Plan::Nothing => Ok(Applied::Done),
            Plan::TakeMoney(paid) => self.take_money(transaction, paid).await,
            Plan::EndPayment { payment_no, failed } => self.end_payment(transaction, payment_no, *failed).await,
            Plan::EndRefund { refund, refused } => self.end_refund(transaction, refund, refused.as_deref()).await,
        }
    }
}

async fn end_refund(
    connection: &mut AnyConnection,
    refund_no: &str,
    refused: Option<String>,
) -> Result<Plan, sqlx::Error> {
    let refund = rows::refund(connection, refund_no).await?;
    Ok(refund
        .filter(|refund| refund.status == "ASKED")
        .map_or(Plan::Nothing, |refund| Plan::EndRefund { refund, refused }))
}

impl Settle {
    /// Money came: it pays the order, or it is surplus. The order's row decides, in one conditional write.
    async fn take_money(&self, transaction: &mut AnyConnection, paid: &PaidFact) -> Result<Applied, sqlx::Error> {
        let (now, channel, order_no) = (self.clock.now(), self.checked.channel, &self.checked.order_no);
        let event = OrderEvent::PaymentSucceeded {
            transaction: transaction_name(channel, &paid.transaction_id),
            amount_fen: paid.amount_fen,
        };
        let effect = match advance(transaction, order_no, &event, Source::Channel, now).await? {
            Advanced::Moved { effect, .. } => effect,
            Advanced::NothingToDo(_) => return Ok(Applied::Done),
            Advanced::Contended | Advanced::NotFound => return Ok(Applied::PlanIsStale),
            Advanced::Impossible(order) => {
                let detail = format!("{:?} does not take {} fen", order.status, paid.amount_fen);
                self.keep_anomaly(transaction, AnomalyKind::ImpossibleEvent, paid.amount_fen, detail)
                    .await?;
                return Ok(Applied::Done);
            }
        };
        rows::mark_succeeded(transaction, order_no, channel, paid, now).await?;
        let kind = match effect {
            Effect::Plain => {
                rows::hasten_questions(transaction, order_no, now).await?;
                "paid"
            }
            Effect::Surplus(reason) => {
                self.keep_surplus(transaction, paid, reason).await?;
                "surplus"
            }
        };
        let movement = rows::Movement {
            channel,
            reference: &paid.transaction_id,
            kind,
            order_no,
            amount_fen: paid.amount_fen,
        };
        // The same money is there already: another key's work. Roll back; the next plan finds nothing to do.
        Ok(if movement.write(transaction, now).await? {
            Applied::Done
        } else {
            Applied::PlanIsStale
        })
    }

    /// The intent to give surplus money back, whose number follows from the transaction: there can only be one.
    async fn keep_surplus(
        &self,
        transaction: &mut AnyConnection,
        paid: &PaidFact,
        reason: SurplusReason,
    ) -> Result<(), sqlx::Error> {
        let now = self.clock.now();
        let refund = rows::Refund {
            asked: NewRefund {
                refund_no: surplus_refund_number(self.checked.channel, &self.checked.order_no, &paid.transaction_id),
                payment_no: paid.payment_no.clone(),
                transaction_id: paid.transaction_id.clone(),
                amount_fen: paid.amount_fen,
                paid_fen: paid.amount_fen,
                reason: match reason {
                    SurplusReason::SecondPayment => "Paid twice".to_owned(),
                    SurplusReason::LatePayment => "Paid after the order was closed".to_owned(),
                },
            },
            order_no: self.checked.order_no.clone(),
            of_surplus: true,
            channel: self.checked.channel,
            status: String::new(),
            questions: 0,
            ask_at: now.saturating_add(milliseconds(self.durations.first_question)),
            created_at: now,
        };
        rows::insert_surplus(transaction, &refund, reason.as_str(), now).await?;
        rows::insert_refund(transaction, &refund, now).await?;
        Ok(())
    }

    async fn end_payment(
        &self,
        transaction: &mut AnyConnection,
        payment_no: &str,
        failed: bool,
    ) -> Result<Applied, sqlx::Error> {
        let (now, order_no) = (self.clock.now(), &self.checked.order_no);
        let event = OrderEvent::PaymentEnded {
            payment_no: payment_no.to_owned(),
            failed,
        };
        match advance(transaction, order_no, &event, Source::Channel, now).await? {
            Advanced::Contended | Advanced::NotFound => return Ok(Applied::PlanIsStale),
            Advanced::Moved { .. } | Advanced::NothingToDo(_) | Advanced::Impossible(_) => {}
        }
        rows::mark_ended(transaction, payment_no, failed, now).await?;
        Ok(Applied::Done)
    }

    /// Money went back, or will not.
    async fn end_refund(
        &self,
        transaction: &mut AnyConnection,
        refund: &rows::Refund,
        refused: Option<&str>,
    ) -> Result<Applied, sqlx::Error> {
        let (now, order_no) = (self.clock.now(), &self.checked.order_no);
        let (refund_no, amount_fen) = (refund.asked.refund_no.clone(), refund.asked.amount_fen);
        let event = match (refused, refund.of_surplus) {
            (None, true) => Some(OrderEvent::SurplusRefunded { refund_no, amount_fen }),
            (None, false) => Some(OrderEvent::RefundSucceeded { refund_no, amount_fen }),
            (Some(_), false) => Some(OrderEvent::RefundRefused { refund_no, amount_fen }),
            // The order has no part in surplus money that its channel keeps: only a person can help.
            (Some(_), true) => None,
        };
        if let Some(event) = event {
            match advance(transaction, order_no, &event, Source::Channel, now).await? {
                Advanced::Moved { .. } => {}
                Advanced::Contended | Advanced::NotFound => return Ok(Applied::PlanIsStale),
                Advanced::NothingToDo(order) | Advanced::Impossible(order) => {
                    let detail = format!("{event:?} on an order that is {:?}", order.status);
                    self.keep_anomaly(transaction, AnomalyKind::ImpossibleEvent, -amount_fen, detail)
                        .await?;
                    return Ok(Applied::Done);
                }
            }
        }
        if !rows::end_refund(transaction, &refund.asked.refund_no, refused.is_none(), now).await? {
            return Ok(Applied::PlanIsStale);
        }
        if let Some(reason) = refused {
            let detail = format!("refund {}: {reason}", refund.asked.refund_no);
            self.keep_anomaly(transaction, AnomalyKind::RefundRefused, amount_fen, detail)
                .await?;
            return Ok(Applied::Done);
        }
        let movement = rows::Movement {
            channel: self.checked.channel,
            reference: &refund.asked.refund_no,
            kind: if refund.of_surplus {
                "surplus_refunded"
            } else {
                "refunded"
            },
            order_no,
            amount_fen: -amount_fen,
        };
        Ok(if movement.write(transaction, now).await? {
            Applied::Done
        } else {
            Applied::PlanIsStale
        })
    }

    async fn keep_anomaly(
        &self,
        transaction: &mut AnyConnection,
        kind: AnomalyKind,
        amount_fen: i64,
        detail: String,
    ) -> Result<(), sqlx::Error> {
        let anomaly = NewAnomaly {
            kind,
            fact: format!("{} {}", self.checked.channel, self.checked.key()),
            channel: self.checked.channel,
            order_no: self.checked.order_no.clone(),
            amount_fen,
            currency: crate::orders::place::CURRENCY.to_owned(),
            detail,
        };
        anomalies::keep(transaction, &anomaly, self.clock.now()).await
    }
}

/// The number of the refund of surplus money: it follows from the transaction, so that there is only one.
pub fn surplus_refund_number(channel: ChannelId, order_no: &str, transaction_id: &str) -> String {
    let hash = Sha256::digest(transaction_name(channel, transaction_id).as_bytes());
    let short: String = hash.iter().take(8).map(|byte| format!("{byte:02X}")).collect();
    format!("{order_no}-R{short}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paid(payment_no: &str, transaction_id: &str) -> Checked {
        Checked {
            channel: ChannelId::Wechat,
            order_no: "OM-0000-0000-0001".to_owned(),
            merchant: "m/a".to_owned(),
            fact: Fact::Paid(PaidFact {
                payment_no: payment_no.to_owned(),
                transaction_id: transaction_id.to_owned(),
                amount_fen: 100,
                currency: "CNY".to_owned(),
                merchant: "m/a".to_owned(),
            }),
        }
    }

    #[test]
    fn one_transaction_is_one_key_and_what_it_paid_is_its_meaning() {
        let (first, again, other) = (paid("P1", "T1"), paid("P1", "T1"), paid("P2", "T1"));
        assert_eq!((first.key(), other.key()), (again.key(), again.key()));
        let digest = |checked: &Checked| Digest::of(BIZ_TYPE, &checked.meaning()).unwrap();
        assert_eq!(digest(&first), digest(&again));
        assert_ne!(digest(&first), digest(&other));
    }

    #[test]
    fn surplus_money_of_one_transaction_has_one_refund_number() {
        let number = |channel, id| surplus_refund_number(channel, "OM-0000-0000-0001", id);
        assert_eq!(number(ChannelId::Wechat, "T1"), number(ChannelId::Wechat, "T1"));
        assert_ne!(number(ChannelId::Wechat, "T1"), number(ChannelId::Alipay, "T1"));
        assert!(number(ChannelId::Wechat, "T1").len() <= 64);
    }
}
