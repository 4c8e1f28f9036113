//! Placing an order: what the executor does once for each key.
//!
//! The plan reads prices, stock and coupon and works out the answer. Then, in the business transaction, each line is one
//! conditional write that holds only if what was read still holds: a price that changed or stock that ran out in between makes
//! the plan stale, and it is made anew. The lock order is the same for everyone: record, order, stock by SKU, coupon.

use super::{
    advance,
    request::{Expectation, OrderRequest},
};
use crate::{
    caller::{Caller, SessionId},
    catalog,
    clock::{Clock, Milliseconds, milliseconds, rfc3339},
    coupons,
    domain::{self, message::MessageKind, order::Status, order_number::order_number},
    durations::Durations,
    idempotency::{Answer, Applied, Operation, Planned, ScopedKey, Unanswered},
    outbox,
    problem::{Problem, ProblemKind},
    tokens::{self, SubmitToken},
};
use app::{
    pricing::{PricedLine, Quote, quote},
    wire::{OrderBody, OrderLine},
};
use sqlx::{AnyConnection, Row as _};

/// The one currency of the shop.
pub const CURRENCY: &str = "CNY";

/// An order to be placed.
#[derive(Clone, Debug)]
pub struct PlaceOrder {
    /// What is ordered.
    pub request: OrderRequest,
    /// What the sender expects to pay.
    pub expectation: Expectation,
    /// Who orders.
    pub caller: Caller,
    /// The key, which the order keeps for ever.
    pub key: ScopedKey,
    /// The form's token that becomes the order, if a form's token is the key.
    pub token: Option<(SessionId, SubmitToken)>,
    /// The clock.
    pub clock: Clock,
    /// The durations.
    pub durations: Durations,
}

/// An order worked out but not written.
#[derive(Debug)]
pub struct OrderPlan {
    order_no: String,
    status: Status,
    messages: &'static [MessageKind],
    lines: Vec<OrderLine>,
    quote: Quote,
    coupon: Option<(String, i64)>,
    created_at: Milliseconds,
    pay_before: Milliseconds,
}

impl Operation for PlaceOrder {
    type Plan = OrderPlan;
    type Reply = ();

    async fn ask(&self) -> Result<(), Unanswered> {
        Ok(())
    }

    async fn plan(&self, connection: &mut AnyConnection, (): &()) -> Result<Planned<OrderPlan>, sqlx::Error> {
        match self.work_out(connection).await? {
            Ok(plan) => {
                let answer = plan.answer();
                Ok(Planned::Feasible(plan, answer))
            }
            Err(refusal) => Ok(Planned::Refused(refusal.to_answer())),
        }
    }

    async fn apply(&self, transaction: &mut AnyConnection, plan: &OrderPlan) -> Result<Applied, sqlx::Error> {
        if !self.insert_order(transaction, plan).await? {
            return self.what_is_in_the_way(transaction).await;
        }
        self.insert_lines(transaction, plan).await?;
        let entry = advance::Entry {
            order_no: &plan.order_no,
            version: 1,
            event: "placed",
            detail: String::new(),
            source: self.caller.source(),
            from: None,
            to: plan.status,
            now: plan.created_at,
        };
        advance::write_journal(transaction, entry).await?;
        for message in plan.messages {
            outbox::write(transaction, &plan.order_no, 1, *message, "", plan.created_at).await?;
        }
        if let Some((session, token)) = &self.token {
            tokens::mark_ordered(transaction, session, token, &plan.order_no).await?;
        }
        // Stock last, because its rows are the ones that many orders want: they are locked for the shortest time.
        for line in &plan.lines {
            let (sku, quantity, price) = (&line.sku, line.qty, line.unit_price_fen);
            if !catalog::reserve(transaction, sku, quantity, price, &plan.order_no, plan.created_at).await? {
                return Ok(Applied::PlanIsStale);
            }
        }
        if let Some((code, discount_fen)) = &plan.coupon
            && !coupons::hold(transaction, code, *discount_fen, &plan.order_no, plan.created_at).await?
        {
            return Ok(Applied::PlanIsStale);
        }
        Ok(Applied::Done)
    }
}

impl PlaceOrder {
    /// Prices the lines as they stand now, or says why they cannot be had.
    async fn work_out(&self, connection: &mut AnyConnection) -> Result<Result<OrderPlan, Problem>, sqlx::Error> {
        let mut lines = Vec::with_capacity(self.request.lines.len());
        for (sku, quantity) in &self.request.lines {
            let offer = catalog::offer(connection, sku).await?;
            match price_line(sku, *quantity, offer, self.expectation.unit_prices_fen.get(sku)) {
                Ok(line) => lines.push(line),
                Err(refusal) => return Ok(Err(refusal)),
            }
        }
        let coupon = match &self.request.coupon {
            None => None,
            Some(code) => match coupons::usable_discount(connection, code).await? {
                Some(discount_fen) => Some((code.clone(), discount_fen)),
                None => {
                    let detail = "The coupon does not exist, is switched off or has been used up.";
                    return Ok(Err(Problem::new(ProblemKind::CouponNotUsable, detail)));
                }
            },
        };
        Ok(self.price(lines, coupon))
    }

    fn price(&self, lines: Vec<OrderLine>, coupon: Option<(String, i64)>) -> Result<OrderPlan, Problem> {
        let priced: Vec<_> = lines
            .iter()
            .map(|line| PricedLine {
                unit_price_fen: line.unit_price_fen,
                quantity: line.qty,
            })
            .collect();
        // Prices, pieces and lines have maxima far below an overflow; a price beyond them is refused like a changed one.
        let Some(quote) = quote(&priced, coupon.as_ref().map_or(0, |(_, discount)| *discount)) else {
            return Err(Problem::new(
                ProblemKind::PriceChanged,
                "The total is beyond what the shop can charge.",
            ));
        };
        if let Some(expected) = self
            .expectation
            .total_fen
            .filter(|expected| *expected != quote.total_fen)
        {
            let detail = format!("The total is {} fen, not {expected} fen.", quote.total_fen);
            return Err(Problem::new(ProblemKind::PriceChanged, detail).with("total_fen", quote.total_fen));
        }
        let (order, messages) = domain::order::place(quote.total_fen);
        let created_at = self.clock.now();
        Ok(OrderPlan {
            order_no: order_number(rand::random()),
            status: order.status,
            messages,
            lines,
            quote,
            coupon,
            created_at,
            pay_before: created_at.saturating_add(milliseconds(self.durations.payment_deadline)),
        })
    }

    /// The order's row. `submit_key` is unique for ever, so a key whose record is long gone still makes no second order.
    async fn insert_order(&self, transaction: &mut AnyConnection, plan: &OrderPlan) -> Result<bool, sqlx::Error> {
        let inserted = sqlx::query(
            "INSERT INTO orders (order_no, submit_key, owner, status, version, subtotal_fen, discount_fen, total_fen, currency,
                                 coupon, name, phone, address, note, created_at, updated_at, pay_before)
             VALUES ($1, $2, $3, $4, 1, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $15)
             ON CONFLICT DO NOTHING",
        )
        .bind(&plan.order_no)
        .bind(&self.key.biz_key)
        .bind(self.caller.owner())
        .bind(plan.status.as_str())
        .bind(plan.quote.subtotal_fen)
        .bind(plan.quote.discount_fen)
        .bind(plan.quote.total_fen)
        .bind(CURRENCY)
        .bind(plan.coupon.as_ref().map_or("", |(code, _)| code))
        .bind(&self.request.name)
        .bind(&self.request.phone)
        .bind(&self.request.address)
        .bind(&self.request.note)
        .bind(plan.created_at)
        .bind(plan.pay_before)
        .execute(transaction)
        .await?;
        Ok(inserted.rows_affected() == 1)
    }

    /// No row was inserted: either this key is an order already, or the random number is taken, which a new plan mends.
    async fn what_is_in_the_way(&self, transaction: &mut AnyConnection) -> Result<Applied, sqlx::Error> {
        let row = sqlx::query("SELECT order_no FROM orders WHERE submit_key = $1")
            .bind(&self.key.biz_key)
            .fetch_optional(transaction)
            .await?;
        let Some(row) = row else {
            return Ok(Applied::PlanIsStale);
        };
        Ok(Applied::Refused(
            record_expired(&row.try_get::<String, _>("order_no")?).to_answer(),
        ))
    }

    async fn insert_lines(&self, transaction: &mut AnyConnection, plan: &OrderPlan) -> Result<(), sqlx::Error> {
        for line in &plan.lines {
            sqlx::query("INSERT INTO order_line (order_no, sku, quantity, unit_price_fen) VALUES ($1, $2, $3, $4)")
                .bind(&plan.order_no)
                .bind(&line.sku)
                .bind(line.qty)
                .bind(line.unit_price_fen)
                .execute(&mut *transaction)
                .await?;
        }
        Ok(())
    }
}

/// What a key gets whose order exists while the record of its answer does not.
pub fn record_expired(order_no: &str) -> Problem {
    Problem::new(
        ProblemKind::RecordExpired,
        format!("This request became order {order_no}."),
    )
    .with("order_no", order_no)
    .with("order", format!("/orders/{order_no}"))
}

fn price_line(
    sku: &str,
    quantity: i64,
    offer: Option<catalog::Offer>,
    expected_price_fen: Option<&i64>,
) -> Result<OrderLine, Problem> {
    let refuse = |kind, detail: String| Err(Problem::new(kind, detail).with("sku", sku));
    let Some(offer) = offer else {
        return refuse(ProblemKind::UnknownProduct, format!("There is no product {sku}."));
    };
    if !offer.on_sale {
        return refuse(ProblemKind::ProductOffSale, format!("{sku} is not on sale now."));
    }
    if let Some(expected) = expected_price_fen.filter(|expected| **expected != offer.price_fen) {
        let detail = format!("One piece of {sku} costs {} fen, not {expected} fen.", offer.price_fen);
        return refuse(ProblemKind::PriceChanged, detail);
    }
    if offer.available < quantity {
        let detail = format!(
            "{} pieces of {sku} are left, {quantity} were asked for.",
            offer.available
        );
        return Err(Problem::new(ProblemKind::SoldOut, detail)
            .with("sku", sku)
            .with("available", offer.available));
    }
    let priced = PricedLine {
        unit_price_fen: offer.price_fen,
        quantity,
    };
    match priced.total_fen() {
        Some(line_total_fen) => Ok(OrderLine {
            sku: sku.to_owned(),
            qty: quantity,
            unit_price_fen: offer.price_fen,
            line_total_fen,
        }),
        None => refuse(
            ProblemKind::PriceChanged,
            "The line's total is beyond what the shop can charge.".to_owned(),
        ),
    }
}

impl OrderPlan {
    fn answer(&self) -> Answer {
        let body = OrderBody {
            order_no: self.order_no.clone(),
            status: self.status.as_str().to_owned(),
            items: self.lines.clone(),
            subtotal_fen: self.quote.subtotal_fen,
            discount_fen: self.quote.discount_fen,
            total_fen: self.quote.total_fen,
            currency: CURRENCY.to_owned(),
            created_at: rfc3339(self.created_at),
            pay_before: rfc3339(self.pay_before),
        };
        // Plain fields always serialise; an empty body would be noticed by every test.
        let text = serde_json::to_string(&body).unwrap_or_default();
        let location = format!("/orders/{}", self.order_no);
        Answer::new(
            201,
            &[("content-type", "application/json"), ("location", &location)],
            text,
        )
    }
}
