//! What an order's owner reads of its payments, refunds and surplus money.

use super::rows;
use crate::{
    channels::{ChannelId, PaymentAction},
    clock::rfc3339,
};
use app::wire::{ActionBody, PaymentBody, RefundBody, SurplusBody};
use sqlx::{AnyConnection, Row as _};

/// An order's payments, oldest first.
pub async fn payments(
    connection: &mut AnyConnection,
    order_no: &str,
    waits_for_payment: bool,
) -> Result<Vec<PaymentBody>, sqlx::Error> {
    let payments = rows::payments_of(connection, order_no).await?;
    Ok(payments
        .into_iter()
        .map(|payment| PaymentBody {
            payment_no: payment.payment_no,
            channel: payment.channel.as_str().to_owned(),
            // How to pay is of use only as long as it can be paid.
            action: payment
                .action
                .filter(|_| waits_for_payment && payment.status == "OPEN")
                .map(action_body),
            status: payment.status,
            amount_fen: payment.amount_fen,
            created_at: rfc3339(payment.created_at),
        })
        .collect())
}

fn action_body(action: PaymentAction) -> ActionBody {
    match action {
        PaymentAction::Qr(url) => ActionBody {
            kind: "qr".to_owned(),
            url,
        },
        PaymentAction::Redirect(url) => ActionBody {
            kind: "redirect".to_owned(),
            url,
        },
    }
}

/// An order's refunds that somebody asked for, oldest first.
pub async fn refunds(connection: &mut AnyConnection, order_no: &str) -> Result<Vec<RefundBody>, sqlx::Error> {
    let refunds = rows::refunds_of(connection, order_no).await?;
    Ok(refunds
        .into_iter()
        .filter(|refund| !refund.of_surplus)
        .map(|refund| RefundBody {
            refund_no: refund.asked.refund_no,
            amount_fen: refund.asked.amount_fen,
            reason: refund.asked.reason,
            status: refund.status,
            created_at: rfc3339(refund.created_at),
        })
        .collect())
}

/// Surplus money of an order, oldest first.
pub async fn surplus(connection: &mut AnyConnection, order_no: &str) -> Result<Vec<SurplusBody>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT surplus.channel AS channel, surplus.amount_fen AS amount_fen, surplus.reason AS reason,
                surplus.created_at AS created_at, refund.status AS refund_status
         FROM surplus JOIN refund ON refund.refund_no = surplus.refund_no
         WHERE surplus.order_no = $1 ORDER BY surplus.created_at, surplus.refund_no",
    )
    .bind(order_no)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(SurplusBody {
                channel: row.try_get("channel")?,
                amount_fen: row.try_get("amount_fen")?,
                reason: row.try_get("reason")?,
                received_at: rfc3339(row.try_get("created_at")?),
                refunded: row.try_get::<String, _>("refund_status")? == "SUCCEEDED",
            })
        })
        .collect()
}

/// The channels that an order of this status can be paid with.
pub fn payable_channels(channels: &crate::channels::Channels, status: &str, amount_fen: i64) -> Vec<ChannelId> {
    if status != "WAIT_PAY" || amount_fen == 0 {
        return Vec::new();
    }
    channels.iter().map(|channel| channel.id()).collect()
}
