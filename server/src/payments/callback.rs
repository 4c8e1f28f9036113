//! Taking what a channel says: verified, checked against what we asked, then settled; and what the provider is answered.
//!
//! The order of things is a promise: the signature over the raw bytes, the time window, decryption and parsing touch nothing, so a
//! forged callback leaves no trace but a metric. What is verified but does not fit (another merchant, amount or currency, an unknown
//! refund) becomes an anomaly and never claims a key, so it cannot keep the genuine one out. A success is answered only after the
//! commit.

use super::{
    Payments,
    anomalies::{self, AnomalyKind, NewAnomaly},
    parked, rows,
    settle::Checked,
};
use crate::{
    channels::{Channel, ChannelId, Fact, Notification, PaidFact, Rejected},
    clock::milliseconds,
    domain::order_number::order_of_number,
    idempotency::Outcome,
    orders::place::CURRENCY,
};
use axum::http::HeaderMap;
use sqlx::{AnyConnection, Row as _};

/// What became of a callback; decides what the provider is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// It has had its effect, now or before, or never will have one: do not send it again.
    Accepted,
    /// Send it again later.
    NotNow,
    /// Not from the provider.
    Forged,
}

/// Where a verified notification leads.
enum Checking {
    /// Every check passed.
    Passed(Checked),
    /// It has no effect, and needs none.
    NoEffect,
    /// It does not fit.
    DoesNotFit(NewAnomaly),
    /// Its order is not there (yet).
    NoOrder { order_no: String },
}

impl Payments {
    /// Takes a callback.
    pub async fn receive(&self, channel: &dyn Channel, headers: &HeaderMap, body: &[u8]) -> Received {
        let name = channel.id().as_str();
        let count = |outcome: &'static str| {
            metrics::counter!("oncemart_callbacks_total", "channel" => name, "outcome" => outcome).increment(1);
        };
        let verified = channel.verify(headers, body, self.now());
        let notification = match verified.and_then(storable) {
            Ok(notification) => notification,
            Err(rejected) => {
                count(rejected.as_str());
                tracing::warn!(channel = name, reason = rejected.as_str(), "a callback is not believed");
                return Received::Forged;
            }
        };
        let received = self.hear(channel, &notification).await.unwrap_or_else(|error| {
            tracing::warn!(%error, channel = name, id = notification.id, "a callback could not be taken now");
            Received::NotNow
        });
        count(match received {
            Received::Accepted => "accepted",
            Received::NotNow | Received::Forged => "not_now",
        });
        received
    }

    /// Takes what a channel says, by a callback or when asked.
    pub async fn hear(&self, channel: &dyn Channel, notification: &Notification) -> Result<Received, sqlx::Error> {
        let mut checking = self.check(channel, notification).await?;
        if let Checking::NoOrder { order_no } = &checking {
            let patience_over = self.park(channel.id(), order_no, notification).await?;
            // The order may have been committed since it was looked up, and its own look for parked notifications been made.
            checking = self.check(channel, notification).await?;
            if let Checking::NoOrder { .. } = checking {
                return Ok(if patience_over {
                    Received::Accepted
                } else {
                    Received::NotNow
                });
            }
        }
        match checking {
            Checking::NoEffect | Checking::NoOrder { .. } => Ok(Received::Accepted),
            Checking::DoesNotFit(anomaly) => {
                anomalies::keep(&mut *self.database().writer().await?, &anomaly, self.now()).await?;
                Ok(Received::Accepted)
            }
            Checking::Passed(checked) => self.let_count(checked).await,
        }
    }

    async fn let_count(&self, checked: Checked) -> Result<Received, sqlx::Error> {
        let (channel, order_no, key) = (checked.channel, checked.order_no.clone(), checked.key());
        let amount_fen = amount_of(&checked.fact);
        let outcome = self
            .settle(checked)
            .await
            .map_err(|error| sqlx::Error::Encode(error.into()))?;
        match outcome {
            Outcome::Done { .. } => Ok(Received::Accepted),
            Outcome::KeyReused(_) | Outcome::Refused(_) => {
                let anomaly = NewAnomaly {
                    kind: AnomalyKind::KeyReused,
                    fact: format!("{channel} {key} {order_no} {amount_fen}"),
                    channel,
                    order_no,
                    amount_fen,
                    currency: CURRENCY.to_owned(),
                    detail: format!("{key} was told before with another meaning"),
                };
                anomalies::keep(&mut *self.database().writer().await?, &anomaly, self.now()).await?;
                Ok(Received::Accepted)
            }
            Outcome::Running | Outcome::TooOld | Outcome::Unavailable | Outcome::Broken => Ok(Received::NotNow),
        }
    }

    /// The checks, in this order: merchant, order, amount and currency. They only read.
    async fn check(&self, channel: &dyn Channel, notification: &Notification) -> Result<Checking, sqlx::Error> {
        let told = Told {
            channel: channel.id(),
            notification,
        };
        if !notification.merchant.is_empty() && notification.merchant != channel.merchant() {
            let detail = format!("for {}, we are {}", notification.merchant, channel.merchant());
            return Ok(told.does_not_fit(AnomalyKind::WrongMerchant, &detail));
        }
        let number = match &notification.fact {
            Fact::NothingFinal { .. } => return Ok(Checking::NoEffect),
            Fact::Paid(paid) => &paid.payment_no,
            Fact::PaymentEnded { payment_no, .. } => payment_no,
            Fact::Refunded {
                refund_no, payment_no, ..
            }
            | Fact::RefundRefused {
                refund_no, payment_no, ..
            } => {
                return self.check_refund(&told, refund_no, payment_no).await;
            }
        };
        let order_no = order_of_number(number).unwrap_or("").to_owned();
        let mut connection = self.database().reader().await?;
        let Some((total_fen, currency)) = price_of(&mut connection, &order_no).await? else {
            return Ok(Checking::NoOrder { order_no });
        };
        if let Fact::Paid(paid) = &notification.fact {
            if paid.currency != currency {
                let detail = format!("{} instead of {currency}", paid.currency);
                return Ok(told.does_not_fit(AnomalyKind::WrongCurrency, &detail));
            }
            if paid.amount_fen != total_fen {
                let detail = format!("{} fen instead of {total_fen}", paid.amount_fen);
                return Ok(told.does_not_fit(AnomalyKind::WrongAmount, &detail));
            }
        }
        Ok(Checking::Passed(told.checked(order_no, notification.fact.clone())))
    }

    /// A refund that we asked for, of the amount that we asked for. A notification that names only the payment means the one
    /// refund of it that is under way.
    async fn check_refund(&self, told: &Told<'_>, refund_no: &str, payment_no: &str) -> Result<Checking, sqlx::Error> {
        let mut connection = self.database().reader().await?;
        let refund = if refund_no.is_empty() {
            let order_no = order_of_number(payment_no).unwrap_or("");
            let mut refunds = rows::refunds_of(&mut connection, order_no).await?;
            refunds.retain(|refund| refund.asked.payment_no == payment_no && refund.channel == told.channel);
            // The last one asked for: it is what made "all of it" true.
            refunds.pop()
        } else {
            rows::refund(&mut connection, refund_no).await?
        };
        let Some(refund) = refund.filter(|refund| refund.channel == told.channel) else {
            let detail = format!("nobody here asked for refund {refund_no} of payment {payment_no}");
            return Ok(told.does_not_fit(AnomalyKind::UnknownRefund, &detail));
        };
        let fact = match &told.notification.fact {
            Fact::Refunded {
                amount_fen: Some(amount_fen),
                ..
            } if *amount_fen != refund.asked.amount_fen => {
                let detail = format!("{amount_fen} fen instead of {}", refund.asked.amount_fen);
                return Ok(told.does_not_fit(AnomalyKind::WrongAmount, &detail));
            }
            Fact::Refunded { .. } if refund.status == "REFUSED" => {
                let detail = format!("refund {refund_no} succeeded after it had been refused");
                return Ok(told.does_not_fit(AnomalyKind::ImpossibleEvent, &detail));
            }
            Fact::RefundRefused { .. } if refund.status == "SUCCEEDED" => {
                let detail = format!("refund {refund_no} was refused after it had succeeded");
                return Ok(told.does_not_fit(AnomalyKind::ImpossibleEvent, &detail));
            }
            Fact::Refunded {
                payment_no, amount_fen, ..
            } => Fact::Refunded {
                refund_no: refund.asked.refund_no.clone(),
                payment_no: payment_no.clone(),
                amount_fen: *amount_fen,
            },
            other => other.clone(),
        };
        Ok(Checking::Passed(told.checked(refund.order_no, fact)))
    }

    /// Keeps a notification whose order is not there. Whether patience with it is over: then it is acknowledged, and a person told.
    async fn park(&self, channel: ChannelId, order_no: &str, notification: &Notification) -> Result<bool, sqlx::Error> {
        let told = Told { channel, notification };
        let (now, patience) = (self.now(), milliseconds(self.durations().unknown_order_patience));
        let mut connection = self.database().writer().await?;
        let first_at = parked::park(&mut connection, channel, order_no, &told.fact(), notification, now).await?;
        if now < first_at.saturating_add(patience) {
            return Ok(false);
        }
        let detail = "its order never came; the money, if any, is nobody's";
        if let Checking::DoesNotFit(anomaly) = told.does_not_fit(AnomalyKind::UnknownOrder, detail) {
            anomalies::keep(&mut connection, &anomaly, now).await?;
        }
        Ok(true)
    }
}

/// A verified notification and who told it.
struct Told<'a> {
    channel: ChannelId,
    notification: &'a Notification,
}

impl Told<'_> {
    fn checked(&self, order_no: String, fact: Fact) -> Checked {
        Checked {
            channel: self.channel,
            order_no,
            merchant: self.notification.merchant.clone(),
            fact,
        }
    }

    /// The fact in one spelling, with everything that a check may find wrong: another amount is another fact.
    fn fact(&self) -> String {
        let (merchant, channel) = (&self.notification.merchant, self.channel);
        match &self.notification.fact {
            Fact::Paid(PaidFact {
                payment_no,
                transaction_id,
                amount_fen,
                currency,
                ..
            }) => format!("{channel} paid:{transaction_id} {payment_no} {amount_fen} {currency} {merchant}"),
            Fact::PaymentEnded { payment_no, failed } => format!("{channel} ended:{payment_no} {failed} {merchant}"),
            Fact::Refunded {
                refund_no,
                payment_no,
                amount_fen,
            } => format!(
                "{channel} refunded:{refund_no} {payment_no} {} {merchant}",
                amount_fen.unwrap_or(0)
            ),
            Fact::RefundRefused {
                refund_no, payment_no, ..
            } => format!("{channel} refund_refused:{refund_no} {payment_no} {merchant}"),
            Fact::NothingFinal { kind } => format!("{channel} nothing:{kind} {merchant}"),
        }
    }

    fn does_not_fit(&self, kind: AnomalyKind, detail: &str) -> Checking {
        let number = match &self.notification.fact {
            Fact::Paid(paid) => paid.payment_no.as_str(),
            Fact::PaymentEnded { payment_no, .. }
            | Fact::Refunded { payment_no, .. }
            | Fact::RefundRefused { payment_no, .. } => payment_no,
            Fact::NothingFinal { .. } => "",
        };
        let currency = match &self.notification.fact {
            Fact::Paid(paid) => paid.currency.clone(),
            _ => CURRENCY.to_owned(),
        };
        Checking::DoesNotFit(NewAnomaly {
            kind,
            fact: self.fact(),
            channel: self.channel,
            order_no: order_of_number(number).unwrap_or("").to_owned(),
            amount_fen: amount_of(&self.notification.fact),
            currency,
            detail: format!("{number}: {detail}"),
        })
    }
}

/// Numbers of ours and the providers' hold no control characters; one that does could not even be written down.
fn storable(notification: Notification) -> Result<Notification, Rejected> {
    let numbers = match &notification.fact {
        Fact::Paid(paid) => [paid.payment_no.as_str(), &paid.transaction_id, &paid.currency],
        Fact::PaymentEnded { payment_no, .. } => [payment_no.as_str(), "", ""],
        Fact::Refunded {
            refund_no, payment_no, ..
        } => [refund_no.as_str(), payment_no, ""],
        Fact::RefundRefused {
            refund_no, payment_no, ..
        } => [refund_no.as_str(), payment_no, ""],
        Fact::NothingFinal { .. } => ["", "", ""],
    };
    if numbers.iter().any(|number| number.chars().any(char::is_control)) {
        return Err(Rejected::Content);
    }
    Ok(notification)
}

fn amount_of(fact: &Fact) -> i64 {
    match fact {
        Fact::Paid(paid) => paid.amount_fen,
        Fact::Refunded { amount_fen, .. } => -amount_fen.unwrap_or(0),
        Fact::PaymentEnded { .. } | Fact::RefundRefused { .. } | Fact::NothingFinal { .. } => 0,
    }
}

async fn price_of(connection: &mut AnyConnection, order_no: &str) -> Result<Option<(i64, String)>, sqlx::Error> {
    let row = sqlx::query("SELECT total_fen, currency FROM orders WHERE order_no = $1")
        .bind(order_no)
        .fetch_optional(connection)
        .await?;
    row.map(|row| Ok((row.try_get("total_fen")?, row.try_get("currency")?)))
        .transpose()
}
