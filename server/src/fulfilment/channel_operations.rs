//! What is done at the payment channels: payments of a closed order are closed, refunds are made. The intents are the rows of
//! `payment` and `refund`; this consumer only is the first to drive them on.

use crate::{
    domain::message::MessageKind,
    payments::{Payments, drive::NotDriven, rows},
};

/// Acts on one message. No transaction is open; every call may be made again.
pub async fn act(payments: &Payments, kind: MessageKind, order_no: &str) -> Result<(), NotDriven> {
    match kind {
        MessageKind::OrderClosed => close_payments(payments, order_no).await,
        MessageKind::RefundRequested | MessageKind::SurplusReceived => make_refunds(payments, order_no).await,
        _ => Ok(()),
    }
}

async fn close_payments(payments: &Payments, order_no: &str) -> Result<(), NotDriven> {
    let found = rows::payments_of(&mut *payments.database().reader().await?, order_no).await?;
    let open = found
        .into_iter()
        .filter(|payment| matches!(payment.status.as_str(), "CREATING" | "OPEN"));
    for payment in open {
        payments.close_payment(&payment).await?;
    }
    Ok(())
}

/// All of the order's that are not yet made: whichever message comes first does the work of both.
async fn make_refunds(payments: &Payments, order_no: &str) -> Result<(), NotDriven> {
    let refunds = rows::refunds_of(&mut *payments.database().reader().await?, order_no).await?;
    for refund in refunds.into_iter().filter(|refund| refund.status == "ASKED") {
        payments.take_and_drive(&refund).await?;
    }
    Ok(())
}
