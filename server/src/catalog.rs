//! The catalog and its stock: what can be ordered, at what price, and how many pieces of it are left. Stock changes only together
//! with a row of its ledger, whose sums are the balances.

mod first_products;

use crate::clock::Milliseconds;
use app::{pages::data::Language, wire::Product};
use sqlx::{AnyConnection, Row as _, any::AnyRow};

/// A product as stored.
#[derive(Clone, Debug)]
pub struct StoredProduct {
    /// Stock-keeping unit.
    pub sku: String,
    /// Names in English and Chinese.
    pub names: [String; 2],
    /// Descriptions in English and Chinese.
    pub descriptions: [String; 2],
    /// Path of the picture.
    pub picture: String,
    /// Price of one piece in fen.
    pub price_fen: i64,
    /// Whether it can be ordered.
    pub on_sale: bool,
    /// Pieces that can be ordered.
    pub available: i64,
    /// Pieces that belong to orders.
    pub reserved: i64,
}

impl StoredProduct {
    /// The product as a reader of that language sees it.
    pub fn in_language(&self, language: Language) -> Product {
        let index = match language {
            Language::English => 0,
            Language::Chinese => 1,
        };
        Product {
            sku: self.sku.clone(),
            name: self.names[index].clone(),
            description: self.descriptions[index].clone(),
            picture: self.picture.clone(),
            price_fen: self.price_fen,
            available: self.available,
            on_sale: self.on_sale,
        }
    }
}

/// Every product, in the catalog's order.
pub async fn products(connection: &mut AnyConnection) -> Result<Vec<StoredProduct>, sqlx::Error> {
    sqlx::query(
        "SELECT sku, name_en, name_zh, description_en, description_zh, picture, price_fen, on_sale, available, reserved
         FROM product ORDER BY position, sku",
    )
    .fetch_all(connection)
    .await?
    .iter()
    .map(product_of)
    .collect()
}

fn product_of(row: &AnyRow) -> Result<StoredProduct, sqlx::Error> {
    Ok(StoredProduct {
        sku: row.try_get("sku")?,
        names: [row.try_get("name_en")?, row.try_get("name_zh")?],
        descriptions: [row.try_get("description_en")?, row.try_get("description_zh")?],
        picture: row.try_get("picture")?,
        price_fen: row.try_get("price_fen")?,
        on_sale: row.try_get::<i64, _>("on_sale")? == 1,
        available: row.try_get("available")?,
        reserved: row.try_get("reserved")?,
    })
}

/// What ordering a product depends on.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// Price of one piece in fen.
    pub price_fen: i64,
    /// Whether it can be ordered.
    pub on_sale: bool,
    /// Pieces that can be ordered.
    pub available: i64,
}

/// Reads the offer of one product.
pub async fn offer(connection: &mut AnyConnection, sku: &str) -> Result<Option<Offer>, sqlx::Error> {
    let row = sqlx::query("SELECT price_fen, on_sale, available FROM product WHERE sku = $1")
        .bind(sku)
        .fetch_optional(connection)
        .await?;
    row.map(|row| {
        Ok(Offer {
            price_fen: row.try_get("price_fen")?,
            on_sale: row.try_get::<i64, _>("on_sale")? == 1,
            available: row.try_get("available")?,
        })
    })
    .transpose()
}

/// Reserves pieces for an order, if the product is still on sale at that price and has enough left. One conditional UPDATE
/// decides; stock never goes below zero. False if not.
pub async fn reserve(
    transaction: &mut AnyConnection,
    sku: &str,
    quantity: i64,
    unit_price_fen: i64,
    order_no: &str,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let reserved = sqlx::query(
        "UPDATE product SET available = available - $2, reserved = reserved + $2
         WHERE sku = $1 AND on_sale = 1 AND price_fen = $3 AND available >= $2",
    )
    .bind(sku)
    .bind(quantity)
    .bind(unit_price_fen)
    .execute(&mut *transaction)
    .await?;
    if reserved.rows_affected() == 0 {
        return Ok(false);
    }
    write_ledger(transaction, order_no, sku, "reserved", -quantity, quantity, now).await
}

/// What becomes of pieces that an order had reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StockChange {
    /// Paid: they are the buyer's.
    Deducted,
    /// The order was closed: they can be ordered again.
    Released,
    /// Given back before they were shipped: they can be ordered again.
    Restocked,
}

/// Changes the stock for an order, once per order, product and kind for ever: the ledger's unique key decides.
pub async fn change(
    transaction: &mut AnyConnection,
    sku: &str,
    quantity: i64,
    change: StockChange,
    order_no: &str,
    now: Milliseconds,
) -> Result<(), sqlx::Error> {
    let (kind, available_change, reserved_change) = match change {
        StockChange::Deducted => ("deducted", 0, -quantity),
        StockChange::Released => ("released", quantity, -quantity),
        StockChange::Restocked => ("restocked", quantity, 0),
    };
    if write_ledger(transaction, order_no, sku, kind, available_change, reserved_change, now).await? {
        sqlx::query("UPDATE product SET available = available + $2, reserved = reserved + $3 WHERE sku = $1")
            .bind(sku)
            .bind(available_change)
            .bind(reserved_change)
            .execute(transaction)
            .await?;
    }
    Ok(())
}

/// What an operator changes of a product; what is `None` stays.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProductChange {
    /// New price of one piece in fen.
    pub price_fen: Option<i64>,
    /// New number of pieces that can be ordered.
    pub available: Option<i64>,
    /// Whether it can be ordered.
    pub on_sale: Option<bool>,
}

/// Changes a product. False if there is none of that SKU.
pub async fn set(
    transaction: &mut AnyConnection,
    sku: &str,
    change: ProductChange,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    // Locks the row, so that the balance read next is the one that the ledger row explains.
    let locked = sqlx::query("UPDATE product SET position = position WHERE sku = $1")
        .bind(sku)
        .execute(&mut *transaction)
        .await?;
    let Some(before) = offer(transaction, sku).await?.filter(|_| locked.rows_affected() == 1) else {
        return Ok(false);
    };
    let available = change.available.unwrap_or(before.available);
    sqlx::query("UPDATE product SET price_fen = $2, on_sale = $3, available = $4 WHERE sku = $1")
        .bind(sku)
        .bind(change.price_fen.unwrap_or(before.price_fen))
        .bind(i64::from(change.on_sale.unwrap_or(before.on_sale)))
        .bind(available)
        .execute(&mut *transaction)
        .await?;
    if available != before.available {
        let reference = format!("set:{}", uuid::Uuid::now_v7());
        write_ledger(
            transaction,
            &reference,
            sku,
            "set",
            available - before.available,
            0,
            now,
        )
        .await?;
    }
    Ok(true)
}

/// Gives a new shop its products; does nothing where there is any product.
pub async fn seed(transaction: &mut AnyConnection, now: Milliseconds) -> Result<(), sqlx::Error> {
    let row = sqlx::query("SELECT COUNT(*) AS products FROM product")
        .fetch_one(&mut *transaction)
        .await?;
    if row.try_get::<i64, _>("products")? > 0 {
        return Ok(());
    }
    for (position, product) in (1_i64..).zip(first_products::FIRST_PRODUCTS) {
        // Two servers may start on an empty database at once: the second inserts nothing.
        let inserted = sqlx::query(
            "INSERT INTO product (sku, position, name_en, name_zh, description_en, description_zh, picture, price_fen,
                                  on_sale, available, reserved)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, $9, 0)
             ON CONFLICT (sku) DO NOTHING",
        )
        .bind(product.sku)
        .bind(position)
        .bind(product.names[0])
        .bind(product.names[1])
        .bind(product.descriptions[0])
        .bind(product.descriptions[1])
        .bind(format!("/pictures/{}.svg", product.sku.to_lowercase()))
        .bind(product.price_fen)
        .bind(product.stock)
        .execute(&mut *transaction)
        .await?;
        if inserted.rows_affected() == 1 {
            write_ledger(transaction, "initial", product.sku, "initial", product.stock, 0, now).await?;
        }
    }
    Ok(())
}

/// One row of the ledger. False if that effect is there already.
async fn write_ledger(
    transaction: &mut AnyConnection,
    reference: &str,
    sku: &str,
    kind: &str,
    available_change: i64,
    reserved_change: i64,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query(
        "INSERT INTO stock_ledger (entry_id, reference, sku, kind, available_change, reserved_change, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT DO NOTHING",
    )
    .bind(uuid::Uuid::now_v7().to_string())
    .bind(reference)
    .bind(sku)
    .bind(kind)
    .bind(available_change)
    .bind(reserved_change)
    .bind(now)
    .execute(transaction)
    .await?;
    Ok(written.rows_affected() == 1)
}
