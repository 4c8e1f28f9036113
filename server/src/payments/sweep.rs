//! The sweep: looks for what is due and nobody has done. Any number of servers may sweep one database: whoever wins the conditional
//! write takes the question, and what follows is idempotent anyway.

use super::{Payments, drive::NotDriven, parked, rows};
use crate::{
    clock::{Milliseconds, milliseconds},
    domain::order::{OrderEvent, Source, Status},
    orders::advance::{Advanced, advance, status_of},
};
use futures::{StreamExt as _, stream};
use sqlx::{AnyConnection, Row as _};
use tokio_util::sync::CancellationToken;

/// Most of one kind that one look takes.
const BATCH: i64 = 50;

/// Channels asked at once.
const AT_ONCE: usize = 8;

impl Payments {
    /// Sweeps until told to stop.
    pub async fn sweep_until(&self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let woken = self.work.notified();
            if let Err(error) = self.sweep().await {
                tracing::warn!(%error, "the sweep could not look now");
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = woken => {}
                () = tokio::time::sleep(self.durations().sweep) => {}
            }
        }
    }

    /// One look at everything that may be due.
    pub async fn sweep(&self) -> Result<(), sqlx::Error> {
        self.apply_parked().await?;
        self.ask_about_payments().await?;
        self.drive_refunds().await?;
        self.close_unpaid_orders().await
    }

    /// Notifications that came before their orders.
    async fn apply_parked(&self) -> Result<(), sqlx::Error> {
        let ready = parked::ready(&mut *self.database().reader().await?, BATCH).await?;
        for parked in ready {
            let Some(channel) = self.channels.get(parked.channel) else {
                continue;
            };
            // Once its order is there, it is accepted or an anomaly; until it is either, it stays parked.
            if self.hear(&*channel, &parked.notification).await? == super::callback::Received::Accepted {
                parked::mark_applied(&mut *self.database().writer().await?, &parked.fact, self.now()).await?;
            }
        }
        Ok(())
    }

    /// Payments whose callback is overdue, whose beginning was cut off, or whose order takes no money any more.
    async fn ask_about_payments(&self) -> Result<(), sqlx::Error> {
        let due = rows::payments_to_ask(&mut *self.database().reader().await?, self.now(), BATCH).await?;
        stream::iter(due)
            .for_each_concurrent(AT_ONCE, |payment| async move {
                if let Err(error) = self.ask_about(&payment).await {
                    tracing::warn!(%error, payment_no = payment.payment_no, "a payment is not driven on now");
                }
            })
            .await;
        Ok(())
    }

    async fn ask_about(&self, payment: &rows::Payment) -> Result<(), NotDriven> {
        let (status, close_at) = {
            let mut connection = self.database().reader().await?;
            match self.closing_of(&mut connection, &payment.order_no).await? {
                Some(found) => found,
                None => return Ok(()),
            }
        };
        let now = self.now();
        let mut next = self.next_question(payment.questions);
        if now < close_at {
            next = next.min(close_at);
        }
        if !rows::take_payment_question(&mut *self.database().writer().await?, payment, next).await? {
            return Ok(());
        }
        if status != Status::WaitPay || now >= close_at {
            self.close_payment(payment).await
        } else if payment.status == "CREATING" {
            self.resume_start(payment).await.map_err(|problem| {
                tracing::warn!(
                    payment_no = payment.payment_no,
                    detail = problem.text("detail"),
                    "a payment is not resumed"
                );
                NotDriven::Busy
            })
        } else {
            self.ask_payment(payment).await
        }
    }

    /// Where an order stands, and when it is closed if it is not paid.
    async fn closing_of(
        &self,
        connection: &mut AnyConnection,
        order_no: &str,
    ) -> Result<Option<(Status, Milliseconds)>, sqlx::Error> {
        let row = sqlx::query("SELECT status, pay_before FROM orders WHERE order_no = $1")
            .bind(order_no)
            .fetch_optional(connection)
            .await?;
        row.map(|row| {
            let status = status_of(&row.try_get::<String, _>("status")?)?;
            let pay_before: Milliseconds = row.try_get("pay_before")?;
            Ok((
                status,
                pay_before.saturating_add(milliseconds(self.durations().close_delay)),
            ))
        })
        .transpose()
    }

    /// Refunds whose outcome is not known.
    async fn drive_refunds(&self) -> Result<(), sqlx::Error> {
        let due = rows::refunds_to_ask(&mut *self.database().reader().await?, self.now(), BATCH).await?;
        stream::iter(due)
            .for_each_concurrent(AT_ONCE, |refund| async move {
                if let Err(error) = self.take_and_drive(&refund).await {
                    tracing::warn!(%error, refund_no = refund.asked.refund_no, "a refund is not driven on now");
                }
            })
            .await;
        Ok(())
    }

    /// Drives a refund on, unless somebody else is at it.
    pub async fn take_and_drive(&self, refund: &rows::Refund) -> Result<(), NotDriven> {
        let next = self.next_question(refund.questions);
        if rows::take_refund_question(&mut *self.database().writer().await?, refund, next).await? {
            self.drive_refund(refund).await?;
        }
        Ok(())
    }

    /// Orders that were not paid in time. Their payments are closed at the channels first (by the same schedule, whose last
    /// question before that is at the closing time); an order whose channel cannot be asked waits, but not for ever: money that
    /// comes later is surplus.
    async fn close_unpaid_orders(&self) -> Result<(), sqlx::Error> {
        let durations = self.durations();
        let closable = self.now().saturating_sub(milliseconds(durations.close_delay));
        let hopeless = closable.saturating_sub(milliseconds(durations.close_patience));
        let due = unpaid(&mut *self.database().reader().await?, closable, hopeless).await?;
        for order_no in due {
            let mut connection = self.database().writer().await?;
            let mut transaction = self.database().begin(&mut connection).await?;
            let event = OrderEvent::DeadlinePassed;
            match advance(&mut transaction, &order_no, &event, Source::Timer, self.now()).await? {
                Advanced::Moved { .. } => {
                    transaction.commit().await?;
                    self.work.notify_waiters();
                }
                // Paid or closed meanwhile.
                _ => transaction.rollback().await?,
            }
        }
        Ok(())
    }
}

/// Orders to close: past their time, and either with no payment open at a channel, or past all patience.
async fn unpaid(
    connection: &mut AnyConnection,
    closable: Milliseconds,
    hopeless: Milliseconds,
) -> Result<Vec<String>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT order_no FROM orders
         WHERE status = 'WAIT_PAY' AND pay_before <= $1
           AND (pay_before <= $2 OR NOT EXISTS (SELECT 1 FROM payment
                WHERE payment.order_no = orders.order_no AND payment.status IN ('CREATING', 'OPEN')))
         ORDER BY pay_before LIMIT $3",
    )
    .bind(closable)
    .bind(hopeless)
    .bind(BATCH)
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| row.try_get("order_no")).collect()
}
