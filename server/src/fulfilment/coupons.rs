//! Coupons: a held one is used when the order is paid, and comes back when it is closed or given back unshipped.

use super::inventory::was_shipped;
use crate::{
    clock::Milliseconds,
    coupons::{self, CouponChange},
    domain::message::MessageKind,
};
use sqlx::{AnyConnection, Row as _};

/// Acts on one message in the transaction that marks its delivery done.
pub async fn act(
    transaction: &mut AnyConnection,
    kind: MessageKind,
    order_no: &str,
    now: Milliseconds,
) -> Result<(), sqlx::Error> {
    let change = match kind {
        MessageKind::OrderPaid => CouponChange::Used,
        MessageKind::OrderClosed => CouponChange::ReturnedUnused,
        MessageKind::OrderRefunded if !was_shipped(transaction, order_no).await? => CouponChange::ReturnedAfterUse,
        _ => return Ok(()),
    };
    let row = sqlx::query("SELECT coupon FROM orders WHERE order_no = $1")
        .bind(order_no)
        .fetch_one(&mut *transaction)
        .await?;
    let code: String = row.try_get("coupon")?;
    if !code.is_empty() {
        coupons::change(transaction, &code, change, order_no, now).await?;
    }
    Ok(())
}
