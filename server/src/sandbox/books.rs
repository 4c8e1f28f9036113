//! What the provider knows of payments, and what may become of one: open → paid, closed or failed.

use super::{
    behaviour::Misbehaviour,
    notices,
    sign::{Kind, What, name_of},
    store::{Store, channel_of, unreadable},
};
use crate::{channels::ChannelId, clock::Milliseconds};
use clap::ValueEnum as _;
use sqlx::{AnyConnection, Row as _, any::AnyRow};

/// A payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// Over which protocol it was asked for.
    pub channel: ChannelId,
    /// The shop's number.
    pub payment_no: String,
    /// The cashier page's secret.
    pub token: String,
    /// Where it stands.
    pub state: State,
    /// Price in fen.
    pub amount_fen: i64,
    /// ISO 4217.
    pub currency: String,
    /// What is bought.
    pub subject: String,
    /// Until when it can be paid.
    pub pay_before: Milliseconds,
    /// Where its notifications go.
    pub notify_url: String,
    /// Where the buyer goes afterwards; empty if the protocol has no such thing.
    pub return_url: String,
    /// How the gateway misbehaves about it.
    pub misbehaviour: Misbehaviour,
    /// When it was first asked for.
    pub created_at: Milliseconds,
}

/// Where a payment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It can be paid.
    Open,
    /// It is paid.
    Paid,
    /// It can no longer be paid.
    Closed,
    /// It was tried and failed.
    Failed,
}

impl State {
    /// The name in the table and on pages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Paid => "paid",
            Self::Closed => "closed",
            Self::Failed => "failed",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        [Self::Open, Self::Paid, Self::Closed, Self::Failed]
            .into_iter()
            .find(|state| state.as_str() == name)
    }
}

/// Money that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Money {
    /// The provider's number.
    pub transaction_id: String,
    /// The shop's number of the payment.
    pub payment_no: String,
    /// 0 for the first of a payment.
    pub position: i64,
    /// In fen.
    pub amount_fen: i64,
    /// What went back of it, or is on its way back, in fen.
    pub refunded_fen: i64,
    /// When.
    pub paid_at: Milliseconds,
}

/// A payment that is asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Over which protocol.
    pub channel: ChannelId,
    /// The shop's number.
    pub payment_no: String,
    /// Price in fen.
    pub amount_fen: i64,
    /// ISO 4217.
    pub currency: String,
    /// What is bought.
    pub subject: String,
    /// Until when it can be paid.
    pub pay_before: Milliseconds,
    /// Where its notifications go.
    pub notify_url: String,
    /// Where the buyer goes afterwards.
    pub return_url: String,
}

impl Store {
    /// Asks for a payment. The same number again is the same payment; `None` if it came with another price, currency or subject.
    pub async fn ask(&self, asked: &Asked) -> Result<Option<Payment>, sqlx::Error> {
        let now = self.clock.now();
        let mut connection = self.writer().await?;
        sqlx::query(
            "INSERT INTO payment (channel, payment_no, token, state, amount_fen, currency, subject, pay_before, notify_url,
                return_url, created_at, updated_at)
             VALUES ($1, $2, $3, 'open', $4, $5, $6, $7, $8, $9, $10, $10) ON CONFLICT (channel, payment_no) DO NOTHING",
        )
        .bind(asked.channel.as_str())
        .bind(asked.payment_no.as_str())
        .bind(uuid::Uuid::new_v4().simple().to_string())
        .bind(asked.amount_fen)
        .bind(asked.currency.as_str())
        .bind(asked.subject.as_str())
        .bind(asked.pay_before)
        .bind(asked.notify_url.as_str())
        .bind(asked.return_url.as_str())
        .bind(now)
        .execute(&mut *connection)
        .await?;
        let payment = find(&mut connection, asked.channel, &asked.payment_no, now).await?;
        Ok(payment.filter(|payment| {
            payment.amount_fen == asked.amount_fen
                && payment.currency == asked.currency
                && payment.subject == asked.subject
        }))
    }

    /// A payment by its number.
    pub async fn payment(&self, channel: ChannelId, payment_no: &str) -> Result<Option<Payment>, sqlx::Error> {
        find(&mut *self.writer().await?, channel, payment_no, self.clock.now()).await
    }

    /// A payment by its cashier page.
    pub async fn payment_of_token(&self, token: &str) -> Result<Option<Payment>, sqlx::Error> {
        let mut connection = self.writer().await?;
        let row = sqlx::query("SELECT channel, payment_no FROM payment WHERE token = $1")
            .bind(token)
            .fetch_optional(&mut *connection)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let payment_no: String = row.try_get("payment_no")?;
        find(&mut connection, channel_of(&row)?, &payment_no, self.clock.now()).await
    }

    /// The last payments, newest first.
    pub async fn payments(&self, limit: i64) -> Result<Vec<Payment>, sqlx::Error> {
        let rows = sqlx::query("SELECT * FROM payment ORDER BY created_at DESC, payment_no LIMIT $1")
            .bind(limit)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.iter().map(payment_of).collect()
    }

    /// The payment of an order, as far as its number, its subject or its way back tell; an open one first, then a paid one.
    pub async fn payment_of_order(&self, channel: ChannelId, order_no: &str) -> Result<Option<Payment>, sqlx::Error> {
        let row = sqlx::query(
            "SELECT * FROM payment
             WHERE channel = $1 AND (instr(subject, $2) > 0 OR instr(return_url, '/orders/' || $2) > 0
                OR instr(replace(payment_no, '-', ''), replace($2, '-', '')) = 1)
             ORDER BY CASE state WHEN 'open' THEN 0 WHEN 'paid' THEN 1 ELSE 2 END, created_at DESC LIMIT 1",
        )
        .bind(channel.as_str())
        .bind(order_no)
        .fetch_optional(&mut *self.reader().await?)
        .await?;
        row.as_ref().map(payment_of).transpose()
    }

    /// The money of a payment, first to last.
    pub async fn money(&self, channel: ChannelId, payment_no: &str) -> Result<Vec<Money>, sqlx::Error> {
        money(&mut *self.reader().await?, channel, payment_no).await
    }

    /// Pays a payment that is in this state, as the money at this position; tells the shop as the misbehaviour demands. False if it
    /// is in another state or that money has moved already.
    pub async fn pay(
        &self,
        payment: &Payment,
        from: State,
        position: i64,
        misbehaviour: Misbehaviour,
        gap_scale: f64,
    ) -> Result<bool, sqlx::Error> {
        let now = self.clock.now();
        let mut connection = self.writer().await?;
        let mut transaction = self.begin(&mut connection).await?;
        if !advance(&mut transaction, payment, (from, State::Paid), misbehaviour, now).await? {
            return Ok(false);
        }
        let transaction_id = new_transaction_id(payment.channel, now);
        let moved = sqlx::query(
            "INSERT INTO money (transaction_id, channel, payment_no, position, amount_fen, paid_at)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (channel, payment_no, position) DO NOTHING",
        )
        .bind(transaction_id.as_str())
        .bind(payment.channel.as_str())
        .bind(payment.payment_no.as_str())
        .bind(position)
        .bind(payment.amount_fen)
        .bind(now)
        .execute(&mut *transaction)
        .await?;
        if moved.rows_affected() == 0 {
            return Ok(false);
        }
        for plan in misbehaviour.plan() {
            let what = news_of(payment, plan.kind, &transaction_id, now);
            notices::insert(
                &mut transaction,
                payment.channel,
                &payment.notify_url,
                &what,
                &plan,
                gap_scale,
                now,
            )
            .await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Ends an open payment without money. With `tell`, the shop is notified. False if it is not open.
    pub async fn end(&self, payment: &Payment, to: State, tell: bool) -> Result<bool, sqlx::Error> {
        let now = self.clock.now();
        let mut connection = self.writer().await?;
        let mut transaction = self.begin(&mut connection).await?;
        if !advance(&mut transaction, payment, (State::Open, to), payment.misbehaviour, now).await? {
            return Ok(false);
        }
        if tell {
            let kind = if to == State::Failed {
                Kind::Failed
            } else {
                Kind::Closed
            };
            let what = news_of(payment, kind, "", now);
            let plan = super::behaviour::Plan::plain(kind);
            notices::insert(
                &mut transaction,
                payment.channel,
                &payment.notify_url,
                &what,
                &plan,
                1.0,
                now,
            )
            .await?;
        }
        transaction.commit().await?;
        Ok(true)
    }
}

/// What a notification of a payment says.
pub(super) fn news_of(payment: &Payment, kind: Kind, transaction_id: &str, now: Milliseconds) -> What {
    let mut what = What::of_payment(kind, &payment.payment_no, transaction_id, payment.amount_fen, now);
    what.currency.clone_from(&payment.currency);
    what.subject.clone_from(&payment.subject);
    what
}

async fn advance(
    connection: &mut AnyConnection,
    payment: &Payment,
    (from, to): (State, State),
    misbehaviour: Misbehaviour,
    now: Milliseconds,
) -> Result<bool, sqlx::Error> {
    let advanced = sqlx::query(
        "UPDATE payment SET state = $1, misbehaviour = $2, updated_at = $3
         WHERE channel = $4 AND payment_no = $5 AND state = $6",
    )
    .bind(to.as_str())
    .bind(name_of(&misbehaviour))
    .bind(now)
    .bind(payment.channel.as_str())
    .bind(payment.payment_no.as_str())
    .bind(from.as_str())
    .execute(connection)
    .await?;
    Ok(advanced.rows_affected() == 1)
}

/// Reads a payment, after closing it if its time is over.
pub(super) async fn find(
    connection: &mut AnyConnection,
    channel: ChannelId,
    payment_no: &str,
    now: Milliseconds,
) -> Result<Option<Payment>, sqlx::Error> {
    sqlx::query(
        "UPDATE payment SET state = 'closed', updated_at = $1
         WHERE channel = $2 AND payment_no = $3 AND state = 'open' AND pay_before <= $1",
    )
    .bind(now)
    .bind(channel.as_str())
    .bind(payment_no)
    .execute(&mut *connection)
    .await?;
    let row = sqlx::query("SELECT * FROM payment WHERE channel = $1 AND payment_no = $2")
        .bind(channel.as_str())
        .bind(payment_no)
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(payment_of).transpose()
}

pub(super) async fn money(
    connection: &mut AnyConnection,
    channel: ChannelId,
    payment_no: &str,
) -> Result<Vec<Money>, sqlx::Error> {
    let rows = sqlx::query("SELECT * FROM money WHERE channel = $1 AND payment_no = $2 ORDER BY position")
        .bind(channel.as_str())
        .bind(payment_no)
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| {
            Ok(Money {
                transaction_id: row.try_get("transaction_id")?,
                payment_no: row.try_get("payment_no")?,
                position: row.try_get("position")?,
                amount_fen: row.try_get("amount_fen")?,
                refunded_fen: row.try_get("refunded_fen")?,
                paid_at: row.try_get("paid_at")?,
            })
        })
        .collect()
}

fn payment_of(row: &AnyRow) -> Result<Payment, sqlx::Error> {
    let state: String = row.try_get("state")?;
    let misbehaviour: String = row.try_get("misbehaviour")?;
    Ok(Payment {
        channel: channel_of(row)?,
        payment_no: row.try_get("payment_no")?,
        token: row.try_get("token")?,
        state: State::parse(&state).ok_or_else(|| unreadable("state", &state))?,
        amount_fen: row.try_get("amount_fen")?,
        currency: row.try_get("currency")?,
        subject: row.try_get("subject")?,
        pay_before: row.try_get("pay_before")?,
        notify_url: row.try_get("notify_url")?,
        return_url: row.try_get("return_url")?,
        misbehaviour: Misbehaviour::from_str(&misbehaviour, false)
            .map_err(|_| unreadable("misbehaviour", &misbehaviour))?,
        created_at: row.try_get("created_at")?,
    })
}

/// A number of money in the shape of each provider's: digits that begin like theirs, or a word.
fn new_transaction_id(channel: ChannelId, now: Milliseconds) -> String {
    let random = u64::from_be_bytes(rand::random()) % 1_000_000_000_000_000;
    transaction_id(channel, now, random)
}

/// A number of money out of an instant and 15 digits.
pub(super) fn transaction_id(channel: ChannelId, at: Milliseconds, digits: u64) -> String {
    match channel {
        ChannelId::Wechat => format!("42{at:011}{digits:015}"),
        ChannelId::Alipay => format!("{at:013}{digits:015}"),
        ChannelId::Webhook => format!("txn_{at}{digits:015}"),
    }
}
