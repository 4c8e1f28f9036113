//! Coupons: a fixed amount off an order, usable a number of times in total. Held by the order's own transaction.

use crate::clock::Milliseconds;
use sqlx::{AnyConnection, Row as _};

/// The coupons of a new shop: code, fen off, uses in total.
pub const FIRST_COUPONS: [(&str, i64, i64); 2] = [("WELCOME5", 500, 1_000_000), ("ONCE50", 5_000, 1)];

/// What a coupon takes off, if it exists, is enabled and has a use left.
pub async fn usable_discount(connection: &mut AnyConnection, code: &str) -> Result<Option<i64>, sqlx::Error> {
    let row = sqlx::query("SELECT discount_fen FROM coupon WHERE code = $1 AND enabled = 1 AND remaining > 0")
        .bind(code)
        .fetch_optional(connection)
        .await?;
    row.map(|row| row.try_get("discount_fen")).transpose()
}

/// Holds one use for an order, if the coupon can still be used and still takes that much off. False if not.
pub async fn hold(
    transaction: &mut AnyConnection,
    code: &str,
    discount_fen: i64,
    order_no: &str,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let held = sqlx::query(
        "UPDATE coupon SET remaining = remaining - 1, held = held + 1
         WHERE code = $1 AND enabled = 1 AND remaining > 0 AND discount_fen = $2",
    )
    .bind(code)
    .bind(discount_fen)
    .execute(&mut *transaction)
    .await?;
    if held.rows_affected() == 0 {
        return Ok(false);
    }
    write_ledger(transaction, order_no, code, "held", -1, 1, now).await
}

/// What becomes of a use that an order had held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CouponChange {
    /// The order was paid.
    Used,
    /// The order was closed: it can be used again.
    ReturnedUnused,
    /// The order was given back before it was shipped: it can be used again.
    ReturnedAfterUse,
}

/// Changes a coupon for an order, once per order and kind for ever: the ledger's unique key decides.
pub async fn change(
    transaction: &mut AnyConnection,
    code: &str,
    change: CouponChange,
    order_no: &str,
    now: Milliseconds,
) -> Result<(), sqlx::Error> {
    let (kind, remaining_change, held_change) = match change {
        CouponChange::Used => ("used", 0, -1),
        CouponChange::ReturnedUnused => ("returned", 1, -1),
        CouponChange::ReturnedAfterUse => ("returned", 1, 0),
    };
    if write_ledger(transaction, order_no, code, kind, remaining_change, held_change, now).await? {
        sqlx::query("UPDATE coupon SET remaining = remaining + $2, held = held + $3 WHERE code = $1")
            .bind(code)
            .bind(remaining_change)
            .bind(held_change)
            .execute(transaction)
            .await?;
    }
    Ok(())
}

/// Gives a new shop its coupons; does nothing where a code exists.
pub async fn seed(transaction: &mut AnyConnection, now: Milliseconds) -> Result<(), sqlx::Error> {
    for (code, discount_fen, uses) in FIRST_COUPONS {
        let inserted = sqlx::query(
            "INSERT INTO coupon (code, discount_fen, enabled, remaining, held) VALUES ($1, $2, 1, $3, 0)
             ON CONFLICT (code) DO NOTHING",
        )
        .bind(code)
        .bind(discount_fen)
        .bind(uses)
        .execute(&mut *transaction)
        .await?;
        if inserted.rows_affected() == 1 {
            write_ledger(transaction, "initial", code, "initial", uses, 0, now).await?;
        }
    }
    Ok(())
}

/// One row of the ledger. False if that effect is there already.
async fn write_ledger(
    transaction: &mut AnyConnection,
    reference: &str,
    code: &str,
    kind: &str,
    remaining_change: i64,
    held_change: i64,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query(
        "INSERT INTO coupon_ledger (entry_id, reference, code, kind, remaining_change, held_change, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT DO NOTHING",
    )
    .bind(uuid::Uuid::now_v7().to_string())
    .bind(reference)
    .bind(code)
    .bind(kind)
    .bind(remaining_change)
    .bind(held_change)
    .bind(now)
    .execute(transaction)
    .await?;
    Ok(written.rows_affected() == 1)
}
