//! Stock: what is paid leaves the shelf, what is closed goes back on it, what is given back unshipped too.

use crate::{catalog, clock::Milliseconds, domain::message::MessageKind};
use sqlx::{AnyConnection, Row as _};

/// Acts on one message in the transaction that marks its delivery done.
pub async fn act(
    transaction: &mut AnyConnection,
    kind: MessageKind,
    order_no: &str,
    now: Milliseconds,
) -> Result<(), sqlx::Error> {
    let change = match kind {
        MessageKind::OrderPaid => catalog::StockChange::Deducted,
        MessageKind::OrderClosed => catalog::StockChange::Released,
        MessageKind::OrderRefunded if !was_shipped(transaction, order_no).await? => catalog::StockChange::Restocked,
        _ => return Ok(()),
    };
    // By SKU, as everybody locks them.
    let lines = sqlx::query("SELECT sku, quantity FROM order_line WHERE order_no = $1 ORDER BY sku")
        .bind(order_no)
        .fetch_all(&mut *transaction)
        .await?;
    for line in lines {
        let (sku, quantity): (String, i64) = (line.try_get("sku")?, line.try_get("quantity")?);
        catalog::change(transaction, &sku, quantity, change, order_no, now).await?;
    }
    Ok(())
}

/// Whether an order was ever shipped.
pub(super) async fn was_shipped(transaction: &mut AnyConnection, order_no: &str) -> Result<bool, sqlx::Error> {
    let row = sqlx::query("SELECT shipped FROM orders WHERE order_no = $1")
        .bind(order_no)
        .fetch_one(transaction)
        .await?;
    Ok(row.try_get::<i64, _>("shipped")? == 1)
}
