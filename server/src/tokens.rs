//! Submit tokens: what the server issues when an order form is loaded, and what becomes the idempotency key of the order.
//!
//! A token is a UUID of version 7, the form's name and a signature over (token, form, session): `{uuid}.{form}.{signature}`. It is valid for
//! its session alone, and one text is its only spelling. The table `open_token` holds the one token that a browser's form shows,
//! so that reload, second tab and Back show the same; it decides nothing about orders.

use crate::{
    caller::SessionId,
    clock::{Clock, Milliseconds, milliseconds},
    db::Database,
    durations::Durations,
    idempotency::ScopedKey,
    signing::{Purpose, SigningKeys},
};
use sqlx::{AnyConnection, Row as _};
use uuid::Uuid;

/// Kind of operation under which orders are placed.
pub const PLACE_ORDER: &str = "place_order";

/// The scoped key of an order: who places it, and the submit token's part that is its key, or the client's own key.
pub fn order_key(owner: &str, key: &str) -> ScopedKey {
    ScopedKey::new(PLACE_ORDER, owner, key)
}

/// Most characters of a token, or of any other key.
pub const MAXIMUM_KEY_LENGTH: usize = 128;

/// Most characters of a SKU.
pub const MAXIMUM_SKU_LENGTH: usize = 32;

/// Which form a token is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// The order form of one product.
    Order {
        /// The product.
        sku: String,
    },
    /// A client of the API that has a session; each such token is a form of its own.
    Api,
}

impl Form {
    /// The name in tokens and in the table.
    pub fn name(&self) -> String {
        match self {
            Self::Order { sku } => format!("order-{sku}"),
            Self::Api => "api".to_owned(),
        }
    }

    fn parse(name: &str) -> Option<Self> {
        if name == "api" {
            return Some(Self::Api);
        }
        name.strip_prefix("order-")
            .filter(|sku| is_sku(sku))
            .map(|sku| Self::Order { sku: sku.to_owned() })
    }
}

/// Whether a text could be a SKU: capital letters, digits and hyphens, at most 32.
pub fn is_sku(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAXIMUM_SKU_LENGTH
        && text
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-')
}

/// A token whose signature holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmitToken {
    /// Its one spelling.
    pub text: String,
    /// Unique part, which also tells its age.
    pub id: Uuid,
    /// The form it was issued for.
    pub form: Form,
}

impl SubmitToken {
    /// Issues a token for a session's form at that time.
    pub fn issue(keys: &SigningKeys, session: &SessionId, form: Form, now: Milliseconds) -> Self {
        let seconds = u64::try_from(now / 1_000).unwrap_or(0);
        let nanoseconds = u32::try_from(now % 1_000).unwrap_or(0) * 1_000_000;
        let id = Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, seconds, nanoseconds));
        let signature = keys.sign(
            Purpose::SubmitToken,
            &[&id.simple().to_string(), &form.name(), session.as_str()],
        );
        Self {
            text: format!("{}.{}.{signature}", id.simple(), form.name()),
            id,
            form,
        }
    }

    /// Reads a token that a session sent; none if it was not issued to that session.
    pub fn verify(keys: &SigningKeys, session: &SessionId, text: &str) -> Option<Self> {
        let (id_text, rest) = text.split_once('.')?;
        let (form_name, signature) = rest.split_once('.')?;
        let id = Uuid::try_parse(id_text)
            .ok()
            .filter(|id| id.simple().to_string() == id_text)?;
        let form = Form::parse(form_name)?;
        keys.verify(Purpose::SubmitToken, &[id_text, form_name, session.as_str()], signature)
            .then(|| Self {
                text: text.to_owned(),
                id,
                form,
            })
    }

    /// The part that becomes the idempotency key: unique by itself, since the signature binds it to form and session.
    pub fn key(&self) -> String {
        self.id.simple().to_string()
    }

    /// When it was issued.
    pub fn issued_at(&self) -> Milliseconds {
        self.id.get_timestamp().map_or(0, |time| {
            let (seconds, nanoseconds) = time.to_unix();
            i64::try_from(seconds).unwrap_or(0) * 1_000 + i64::from(nanoseconds / 1_000_000)
        })
    }

    /// Whether it is too old for a first claim.
    pub fn is_expired(&self, durations: &Durations, now: Milliseconds) -> bool {
        now.saturating_sub(self.issued_at()) > milliseconds(durations.token_life)
    }
}

/// The token that a browser's form shows.
#[derive(Clone, Debug)]
pub struct OpenToken {
    /// Its text.
    pub token: String,
    /// The order that it became and that its owner has not seen yet.
    pub order_no: Option<String>,
}

/// Issues and finds the tokens that forms show.
#[derive(Clone, Debug)]
pub struct OpenTokens {
    /// Where they are.
    pub database: Database,
    /// What signs them.
    pub keys: SigningKeys,
    /// The clock that dates them.
    pub clock: Clock,
    /// Their life.
    pub durations: Durations,
}

impl OpenTokens {
    /// The token that this browser's form shows now: the one it showed before, until that one's order was placed and seen, or it
    /// became too old for a first claim. Parallel loads get the same one, because every change is a conditional write on the row.
    pub async fn current(&self, session: &SessionId, form: &Form) -> Result<OpenToken, sqlx::Error> {
        loop {
            let Some(row) = read(&mut *self.database.reader().await?, session, form).await? else {
                self.insert(session, form).await?;
                continue;
            };
            if row.seen || self.is_past_use(session, &row).await? {
                self.replace(session, form, &row.token).await?;
                continue;
            }
            return Ok(OpenToken {
                token: row.token,
                order_no: row.order_no,
            });
        }
    }

    /// Replaces a token that became an order, because its owner wants to start a new one. Does nothing to a token that is still
    /// to be used, or that another tab has replaced already.
    pub async fn start_new(&self, session: &SessionId, form: &Form, token: &str) -> Result<(), sqlx::Error> {
        let row = read(&mut *self.database.reader().await?, session, form).await?;
        if row.is_some_and(|row| row.order_no.is_some() && row.token == token) {
            self.replace(session, form, token).await?;
        }
        Ok(())
    }

    /// Notes that the owner has loaded the page of an order, so that the form it came from may show a new token.
    pub async fn mark_seen(&self, session: &SessionId, order_no: &str) -> Result<(), sqlx::Error> {
        let unseen = sqlx::query("SELECT form FROM open_token WHERE session = $1 AND order_no = $2 AND seen = 0")
            .bind(session.as_str())
            .bind(order_no)
            .fetch_optional(&mut *self.database.reader().await?)
            .await?;
        if unseen.is_some() {
            sqlx::query("UPDATE open_token SET seen = 1 WHERE session = $1 AND order_no = $2")
                .bind(session.as_str())
                .bind(order_no)
                .execute(&mut *self.database.writer().await?)
                .await?;
        }
        Ok(())
    }

    /// Whether an unused token can never be used again: signed by a key that is gone, or too old and without a record.
    async fn is_past_use(&self, session: &SessionId, row: &Row) -> Result<bool, sqlx::Error> {
        if row.order_no.is_some() {
            return Ok(false);
        }
        let Some(token) = SubmitToken::verify(&self.keys, session, &row.token) else {
            return Ok(true);
        };
        if !token.is_expired(&self.durations, self.clock.now()) {
            return Ok(false);
        }
        let key = order_key(&session.owner(), &token.key());
        let record = sqlx::query("SELECT 1 AS there FROM idempotent_record WHERE biz_type = $1 AND biz_key = $2")
            .bind(key.biz_type)
            .bind(key.biz_key)
            .fetch_optional(&mut *self.database.reader().await?)
            .await?;
        Ok(record.is_none())
    }

    async fn insert(&self, session: &SessionId, form: &Form) -> Result<(), sqlx::Error> {
        let now = self.clock.now();
        sqlx::query(
            "INSERT INTO open_token (session, form, token, issued_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT (session, form) DO NOTHING",
        )
        .bind(session.as_str())
        .bind(form.name())
        .bind(SubmitToken::issue(&self.keys, session, form.clone(), now).text)
        .bind(now)
        .execute(&mut *self.database.writer().await?)
        .await?;
        Ok(())
    }

    async fn replace(&self, session: &SessionId, form: &Form, old: &str) -> Result<(), sqlx::Error> {
        let now = self.clock.now();
        sqlx::query(
            "UPDATE open_token SET token = $4, order_no = '', seen = 0, issued_at = $5
             WHERE session = $1 AND form = $2 AND token = $3",
        )
        .bind(session.as_str())
        .bind(form.name())
        .bind(old)
        .bind(SubmitToken::issue(&self.keys, session, form.clone(), now).text)
        .bind(now)
        .execute(&mut *self.database.writer().await?)
        .await?;
        Ok(())
    }
}

struct Row {
    token: String,
    order_no: Option<String>,
    seen: bool,
}

async fn read(connection: &mut AnyConnection, session: &SessionId, form: &Form) -> Result<Option<Row>, sqlx::Error> {
    let row = sqlx::query("SELECT token, order_no, seen FROM open_token WHERE session = $1 AND form = $2")
        .bind(session.as_str())
        .bind(form.name())
        .fetch_optional(connection)
        .await?;
    row.map(|row| {
        let order_no: String = row.try_get("order_no")?;
        Ok(Row {
            token: row.try_get("token")?,
            order_no: Some(order_no).filter(|number| !number.is_empty()),
            seen: row.try_get::<i64, _>("seen")? == 1,
        })
    })
    .transpose()
}

/// Notes in an order's own transaction which order a form's token became. Changes nothing for a token that no form shows.
pub async fn mark_ordered(
    transaction: &mut AnyConnection,
    session: &SessionId,
    token: &SubmitToken,
    order_no: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE open_token SET order_no = $4 WHERE session = $1 AND form = $2 AND token = $3")
        .bind(session.as_str())
        .bind(token.form.name())
        .bind(&token.text)
        .bind(order_no)
        .execute(transaction)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture() -> (SigningKeys, SessionId) {
        (SigningKeys::parse(&SigningKeys::generate()).unwrap(), SessionId::new())
    }

    fn form() -> Form {
        Form::Order {
            sku: "A".repeat(MAXIMUM_SKU_LENGTH),
        }
    }

    #[test]
    fn a_token_fits_and_reads_back_for_its_session_alone() {
        let (keys, session) = fixture();
        let token = SubmitToken::issue(&keys, &session, form(), 1_764_580_000_120);
        assert!(token.text.len() <= MAXIMUM_KEY_LENGTH, "{}", token.text.len());
        assert_eq!(SubmitToken::verify(&keys, &session, &token.text), Some(token.clone()));
        assert_eq!(SubmitToken::verify(&keys, &SessionId::new(), &token.text), None);
        assert_eq!(token.issued_at(), 1_764_580_000_120);
    }

    #[test]
    fn another_spelling_is_another_token() {
        let (keys, session) = fixture();
        let token = SubmitToken::issue(
            &keys,
            &session,
            Form::Order {
                sku: "SKU-1".to_owned(),
            },
            1_764_580_000_120,
        )
        .text;
        let swapped: String = token
            .chars()
            .map(|letter| {
                if letter.is_ascii_lowercase() {
                    letter.to_ascii_uppercase()
                } else {
                    letter.to_ascii_lowercase()
                }
            })
            .collect();
        for other in [
            swapped,
            format!("{token} "),
            format!(" {token}"),
            format!("{token}="),
            token.to_uppercase(),
            token.replace('1', "１"),
        ] {
            assert_eq!(SubmitToken::verify(&keys, &session, &other), None, "{other}");
        }
    }

    #[test]
    fn a_token_expires_by_its_own_timestamp() {
        let (keys, session) = fixture();
        let durations = Durations::default();
        let token = SubmitToken::issue(&keys, &session, form(), 1_000_000);
        let life = milliseconds(durations.token_life);
        assert!(!token.is_expired(&durations, 1_000_000 + life));
        assert!(token.is_expired(&durations, 1_000_000 + life + 1));
    }
}
