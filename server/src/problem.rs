//! The one mapping from what can go wrong to HTTP: problem details (RFC 9457), each type with a status, a stable URI below
//! `/problems/` and a page at that URI.

use crate::idempotency::Answer;
use app::pages::data::{FieldError, ProblemType};
use axum::http::StatusCode;
use serde_json::{Map, Value, json};

/// The media type of a problem.
pub const PROBLEM_TYPE: &str = "application/problem+json";

/// Every problem type. Its slug is the last part of its URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// A write without a key.
    MissingKey,
    /// Two different keys, or one key header twice.
    KeyMismatch,
    /// A key that no client could have been given.
    MalformedKey,
    /// A body that cannot be read.
    MalformedRequest,
    /// A body of another type.
    UnsupportedMediaType,
    /// A body over the limit.
    RequestTooLarge,
    /// A body whose fields need correcting.
    InvalidFields,
    /// A submit token that this session was not given.
    UnknownToken,
    /// A submit token too old for a first use.
    ExpiredToken,
    /// A bearer token that is not known.
    Unauthorized,
    /// A write that a page of another site sent.
    CrossSiteRequest,
    /// The key stands for an accepted request of other content.
    KeyReused,
    /// The first request with this key is still being worked on.
    StillRunning,
    /// Fewer pieces are left than asked for.
    SoldOut,
    /// There is no such product.
    UnknownProduct,
    /// The product is not on sale.
    ProductOffSale,
    /// The price is another than the sender expected.
    PriceChanged,
    /// The coupon is unknown, switched off or used up.
    CouponNotUsable,
    /// The payment channel is not open in this shop.
    ChannelNotAvailable,
    /// The payment channel refuses; asking again will not help.
    ChannelRefused,
    /// The order is paid, closed or past its time.
    OrderNotPayable,
    /// The order is paid or closed.
    OrderNotCancellable,
    /// The order is not on its way.
    OrderNotReceivable,
    /// More is asked back than was paid and not yet asked back.
    RefundTooLarge,
    /// Another refund has this number.
    RefundNumberTaken,
    /// The order exists, the record of its answer does not any more.
    RecordExpired,
    /// There is no such thing, or it is not yours.
    NotFound,
    /// The thing has no such method.
    MethodNotAllowed,
    /// The database is away or too slow.
    Unavailable,
    /// A defect of ours.
    InternalError,
}

impl ProblemKind {
    /// Every kind, in the order of the list page.
    pub const ALL: [Self; 30] = [
        Self::MissingKey,
        Self::KeyMismatch,
        Self::MalformedKey,
        Self::MalformedRequest,
        Self::UnsupportedMediaType,
        Self::RequestTooLarge,
        Self::InvalidFields,
        Self::UnknownToken,
        Self::ExpiredToken,
        Self::Unauthorized,
        Self::CrossSiteRequest,
        Self::KeyReused,
        Self::StillRunning,
        Self::SoldOut,
        Self::UnknownProduct,
        Self::ProductOffSale,
        Self::PriceChanged,
        Self::CouponNotUsable,
        Self::ChannelNotAvailable,
        Self::ChannelRefused,
        Self::OrderNotPayable,
        Self::OrderNotCancellable,
        Self::OrderNotReceivable,
        Self::RefundTooLarge,
        Self::RefundNumberTaken,
        Self::RecordExpired,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::Unavailable,
        Self::InternalError,
    ];

    /// Slug, status and title: the three that RFC 9457 wants fixed for a type.
    fn facts(self) -> (&'static str, u16, &'static str) {
        match self {
            Self::MissingKey => ("missing-key", 400, "The request carries no idempotency key"),
            Self::KeyMismatch => ("key-mismatch", 400, "The request carries more than one idempotency key"),
            Self::MalformedKey => ("malformed-key", 400, "The idempotency key is malformed"),
            Self::MalformedRequest => ("malformed-request", 400, "The request cannot be read"),
            Self::UnsupportedMediaType => ("unsupported-media-type", 415, "The body's type is not supported"),
            Self::RequestTooLarge => ("request-too-large", 413, "The request is too large"),
            Self::InvalidFields => ("invalid-fields", 422, "Some fields need correcting"),
            Self::UnknownToken => ("unknown-token", 403, "This submit token was not issued to this session"),
            Self::ExpiredToken => ("expired-token", 410, "This submit token is too old for a first use"),
            Self::Unauthorized => ("unauthorized", 401, "The request is not authenticated"),
            Self::CrossSiteRequest => ("cross-site-request", 403, "The request comes from another site"),
            Self::KeyReused => ("key-reused", 422, "This idempotency key was used for another request"),
            Self::StillRunning => (
                "still-running",
                409,
                "The first request with this key is still being worked on",
            ),
            Self::SoldOut => ("sold-out", 409, "Not enough pieces are left"),
            Self::UnknownProduct => ("unknown-product", 409, "There is no such product"),
            Self::ProductOffSale => ("product-off-sale", 409, "The product is not on sale"),
            Self::PriceChanged => ("price-changed", 409, "The price has changed"),
            Self::CouponNotUsable => ("coupon-not-usable", 409, "The coupon cannot be used"),
            Self::ChannelNotAvailable => ("channel-not-available", 409, "This payment channel is not open here"),
            Self::ChannelRefused => ("channel-refused", 409, "The payment channel refuses"),
            Self::OrderNotPayable => ("order-not-payable", 409, "The order is not waiting for a payment"),
            Self::OrderNotCancellable => ("order-not-cancellable", 409, "The order cannot be cancelled any more"),
            Self::OrderNotReceivable => ("order-not-receivable", 409, "There is nothing to confirm"),
            Self::RefundTooLarge => ("refund-too-large", 409, "More is asked back than is left"),
            Self::RefundNumberTaken => ("refund-number-taken", 409, "This refund number is taken"),
            Self::RecordExpired => ("record-expired", 410, "This request became an order long ago"),
            Self::NotFound => ("not-found", 404, "There is no such thing here"),
            Self::MethodNotAllowed => ("method-not-allowed", 405, "This method is not allowed here"),
            Self::Unavailable => ("unavailable", 503, "The shop cannot do this right now"),
            Self::InternalError => ("internal-error", 500, "Something broke on our side"),
        }
    }

    /// Last part of the type's URI.
    pub fn slug(self) -> &'static str {
        self.facts().0
    }

    /// HTTP status.
    pub fn status(self) -> u16 {
        self.facts().1
    }

    /// HTTP status, typed.
    pub fn status_code(self) -> StatusCode {
        // Every status in `facts` is one; a test reads them all.
        StatusCode::from_u16(self.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// What the page of this type is made from.
    pub fn page(self) -> ProblemType {
        ProblemType {
            slug: self.slug(),
            status: self.status(),
        }
    }

    /// Seconds after which a retry makes sense, for the types whose cause passes by itself.
    pub fn retry_after_seconds(self) -> Option<u32> {
        match self {
            Self::StillRunning => Some(1),
            Self::Unavailable => Some(2),
            _ => None,
        }
    }
}

/// One occurrence of a problem.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Its type.
    pub kind: ProblemKind,
    members: Map<String, Value>,
}

impl Problem {
    /// A problem with what a person should know of this occurrence.
    pub fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        let (slug, status, title) = kind.facts();
        let mut members = Map::new();
        members.insert("type".to_owned(), json!(format!("/problems/{slug}")));
        members.insert("title".to_owned(), json!(title));
        members.insert("status".to_owned(), json!(status));
        members.insert("detail".to_owned(), json!(detail.into()));
        Self { kind, members }
    }

    /// Nothing is there, or nothing that the asker may know of.
    pub fn not_found() -> Self {
        Self::new(ProblemKind::NotFound, "There is nothing of yours at this address.")
    }

    /// Adds a member of this type's own.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    /// A member's text; empty if there is none.
    pub fn text(&self, name: &str) -> &str {
        self.members.get(name).and_then(Value::as_str).unwrap_or("")
    }

    /// A problem with one entry per field.
    pub fn invalid_fields(errors: &[FieldError]) -> Self {
        let entries: Vec<Value> = errors.iter().map(field_entry).collect();
        Self::new(ProblemKind::InvalidFields, "See `errors` for each field.").with("errors", entries)
    }

    /// The body.
    pub fn to_json(&self) -> String {
        Value::Object(self.members.clone()).to_string()
    }

    /// The problem as an answer that can be stored.
    pub fn to_answer(&self) -> Answer {
        Answer::new(self.kind.status(), &[("content-type", PROBLEM_TYPE)], self.to_json())
    }
}

/// A value of ours that cannot be written as JSON, which one of plain fields always can.
impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        tracing::error!(%error, "a value could not be written as JSON");
        Self::new(ProblemKind::InternalError, "The log has the details.")
    }
}

fn field_entry(error: &FieldError) -> Value {
    // `items[0].qty` as a JSON Pointer (RFC 6901): `/items/0/qty`.
    let pointer = format!(
        "/{}",
        error.field.replace("].", "/").replace(['[', '.'], "/").replace(']', "")
    );
    let mut entry =
        json!({ "field": error.field, "pointer": pointer, "code": error.code.as_str(), "detail": field_detail(error) });
    if let Some(maximum) = error.code.maximum() {
        entry["maximum"] = json!(maximum);
    }
    entry
}

fn field_detail(error: &FieldError) -> String {
    use app::pages::data::FieldErrorCode as Code;
    match error.code {
        Code::Required => "This field is required.".to_owned(),
        Code::TooLong { maximum } => format!("At most {maximum} characters."),
        Code::ForbiddenCharacter => {
            "Control characters and characters that turn the direction of text are not allowed.".to_owned()
        }
        Code::NotAPhoneNumber => {
            "5 to 20 digits; spaces, hyphens, parentheses and a leading plus are allowed.".to_owned()
        }
        Code::NotAQuantity { maximum } => format!("A whole number from 1 to {maximum}, as a number."),
        Code::NotASku => "Capital letters, digits and hyphens, at most 32.".to_owned(),
        Code::TooManyLines { maximum } => format!("At most {maximum} lines."),
        Code::NotAText => "This field must be a text.".to_owned(),
        Code::NotAChannel => "wechat, alipay or webhook.".to_owned(),
        Code::NotAnAmount => {
            "A whole number of fen, as a number; not negative, and not zero where money moves.".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use app::pages::data::FieldErrorCode;

    #[test]
    fn every_type_has_a_slug_of_its_own() {
        let mut slugs: Vec<_> = ProblemKind::ALL.iter().map(|kind| kind.slug()).collect();
        slugs.sort_unstable();
        slugs.dedup();
        assert_eq!(slugs.len(), ProblemKind::ALL.len());
        assert!(
            ProblemKind::ALL
                .iter()
                .all(|kind| kind.status_code().as_u16() == kind.status())
        );
    }

    #[test]
    fn a_field_is_named_and_pointed_at() {
        let errors = [FieldError {
            field: "items[2].qty".to_owned(),
            code: FieldErrorCode::NotAQuantity { maximum: 99 },
        }];
        let problem: Value = serde_json::from_str(&Problem::invalid_fields(&errors).to_json()).unwrap();
        assert_eq!(problem["errors"][0]["pointer"], "/items/2/qty");
        assert_eq!(problem["errors"][0]["maximum"], 99);
        assert_eq!(problem["status"], 422);
    }
}
