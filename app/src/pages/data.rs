//! What each page is made from. The server fills these in; the components beside this file show them.

mod order;
pub mod sandbox;

pub use order::{OpenPayment, OrderNotice, OrderPage};

use crate::{pricing::Quote, wire::Product};

/// Languages that the pages speak. The message files are `messages/en.ftl` and `messages/zh.ftl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

/// What every page's frame needs besides the page itself.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Language of the texts.
    pub language: Language,
    /// Path and query of this page, where the language switch returns to; never holds typed input.
    pub return_to: String,
}

/// A page of the shop.
#[derive(Clone, Debug)]
pub enum Page {
    /// `/`
    Catalog(Vec<Product>),
    /// `/order/new?sku=…`, fresh or with what was typed and what was wrong with it.
    OrderForm(Box<OrderForm>),
    /// `/order/new?sku=…` while its token has become an order that the buyer has not seen yet.
    FormBecameOrder(FormBecameOrder),
    /// After a form post whose order is still being worked on: refreshes itself.
    StillWorking(StillWorking),
    /// `/orders/{order_no}`
    Order(Box<OrderPage>),
    /// `/orders`
    Orders(Vec<OrderSummary>),
    /// `/problems`: the list of problem types.
    Problems(Vec<ProblemType>),
    /// `/problems/{slug}`: what one problem type means and what to do.
    Problem(ProblemType),
    /// A page that only says something, such as "not found".
    Message(Message),
    /// The sandbox gateway's page where the buyer pays.
    SandboxCashier(Box<sandbox::Cashier>),
    /// The sandbox gateway's page for whoever looks on.
    SandboxOverview(Box<sandbox::Overview>),
    /// The sandbox gateway's page when there is nothing to pay.
    SandboxRefusal(sandbox::Refusal),
}

/// The order form.
#[derive(Clone, Debug)]
pub struct OrderForm {
    /// Product whose form this is; the form posts to `/order/new?sku={sku}`.
    pub sku: String,
    /// The submit token: hidden field `submit_token`, `autocomplete="off"`.
    pub token: String,
    /// Lines, as typed.
    pub lines: Vec<FormLine>,
    /// Products on sale that can be added.
    pub addable: Vec<Product>,
    /// Field `coupon`, as typed.
    pub coupon: String,
    /// What that coupon takes off when it is known and can still be used; none when the field is empty or the coupon is not good.
    pub coupon_discount_fen: Option<i64>,
    /// Field `name`, as typed.
    pub name: String,
    /// Field `phone`, as typed.
    pub phone: String,
    /// Field `address`, as typed.
    pub address: String,
    /// Field `note`, as typed.
    pub note: String,
    /// The price of what stands in the form; none while a quantity is not a number.
    pub quote: Option<Quote>,
    /// What is wrong with fields, in the order of the form.
    pub errors: Vec<FieldError>,
    /// Why the last attempt was not accepted, if it was not for a field.
    pub notice: Option<FormNotice>,
}

/// One line of the form: fields `sku`, `qty` and `unit_price_fen`, repeated in this order for each line.
#[derive(Clone, Debug)]
pub struct FormLine {
    /// Hidden field `sku`.
    pub sku: String,
    /// Field `qty`, as typed.
    pub qty: String,
    /// Product, if it exists.
    pub product: Option<Product>,
}

/// A field that needs correcting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Name as in the JSON body: `name`, `phone`, `address`, `note`, `coupon`, `items`, `items[0].qty`, …
    pub field: String,
    /// What is wrong; the message is `field-error-{code}`.
    pub code: FieldErrorCode,
}

/// What can be wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldErrorCode {
    /// Nothing was given.
    Required,
    /// More characters than the maximum.
    TooLong {
        /// Most characters.
        maximum: usize,
    },
    /// A control character or a character that turns the direction of text.
    ForbiddenCharacter,
    /// Not a telephone number: 5 to 20 digits, spaces, hyphens, parentheses, one leading plus.
    NotAPhoneNumber,
    /// Not a whole number from 1 to the maximum.
    NotAQuantity {
        /// Most pieces.
        maximum: i64,
    },
    /// Not a SKU.
    NotASku,
    /// More lines than the maximum.
    TooManyLines {
        /// Most lines.
        maximum: usize,
    },
    /// Not a text.
    NotAText,
    /// Not a whole number of fen.
    NotAnAmount,
    /// Not the name of a payment channel.
    NotAChannel,
}

impl FieldErrorCode {
    /// The code as the JSON API and the message files name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::TooLong { .. } => "too-long",
            Self::ForbiddenCharacter => "forbidden-character",
            Self::NotAPhoneNumber => "not-a-phone-number",
            Self::NotAQuantity { .. } => "not-a-quantity",
            Self::NotASku => "not-a-sku",
            Self::TooManyLines { .. } => "too-many-lines",
            Self::NotAText => "not-a-text",
            Self::NotAnAmount => "not-an-amount",
            Self::NotAChannel => "not-a-channel",
        }
    }

    /// The stated maximum, where the message speaks of one.
    pub fn maximum(self) -> Option<i64> {
        match self {
            Self::TooLong { maximum } | Self::TooManyLines { maximum } => i64::try_from(maximum).ok(),
            Self::NotAQuantity { maximum } => Some(maximum),
            _ => None,
        }
    }
}

/// Why an attempt was not accepted. The input is kept in the form in every case; nothing was ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormNotice {
    /// Refused by business: the slug of the problem type (`sold-out`, `price-changed`, `unknown-product`, `product-off-sale`,
    /// `coupon-not-usable`), the SKU it is about and how many pieces are left, where it is about one.
    Refused {
        /// Slug of the problem type.
        slug: String,
        /// Product.
        sku: Option<String>,
        /// Pieces left.
        available: Option<i64>,
    },
    /// The token was older than 24 h and had no order; the form now has a fresh one.
    TokenExpired,
    /// The token was unknown, forged or of another session; the form now has a fresh one.
    TokenUnknown,
    /// The token already stands for an order with other content. The order is linked.
    TokenReused {
        /// The order that it became.
        order_no: String,
    },
    /// The database was away or too slow: the same form can be sent again safely.
    TryAgain,
    /// The form was changed (a line added or removed), not sent.
    Edited,
}

/// See [`Page::FormBecameOrder`].
#[derive(Clone, Debug)]
pub struct FormBecameOrder {
    /// Product whose form this is.
    pub sku: String,
    /// The token that became the order, for the "start a new order" form: `POST /order/restart?sku={sku}`, field `submit_token`.
    pub token: String,
    /// The order.
    pub order_no: String,
}

/// See [`Page::StillWorking`].
#[derive(Clone, Debug)]
pub struct StillWorking {
    /// Product whose form was posted.
    pub sku: String,
    /// Whether the work has not ended in time: no more refreshing, the buyer is told to send the form again.
    pub gave_up: bool,
}

/// One row of "my orders".
#[derive(Clone, Debug)]
pub struct OrderSummary {
    /// Number.
    pub order_no: String,
    /// Status, as the API names it.
    pub status: String,
    /// To pay, in fen.
    pub total_fen: i64,
    /// Pieces in all lines.
    pub pieces: i64,
    /// When it was accepted, RFC 3339 in UTC.
    pub created_at: String,
}

/// A problem type of the JSON API. Title and text are the messages `problem-{slug}` and its attributes.
#[derive(Clone, Copy, Debug)]
pub struct ProblemType {
    /// Last part of the type's URI.
    pub slug: &'static str,
    /// HTTP status.
    pub status: u16,
}

/// Pages that only say something: the texts are the messages `message-{as_str}` with the attributes `title` and `text`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// No such page, or not yours.
    NotFound,
    /// The browser keeps no cookies, and without one there is no form.
    CookiesNeeded,
    /// A write that did not come from a page of this shop.
    CrossSite,
    /// The database is away: try again.
    Unavailable,
    /// The request was too large.
    TooLarge,
    /// The request could not be read.
    BadRequest,
    /// Something broke on our side.
    Broken,
}

impl Message {
    /// The name that the message files use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "not-found",
            Self::CookiesNeeded => "cookies-needed",
            Self::CrossSite => "cross-site",
            Self::Unavailable => "unavailable",
            Self::TooLarge => "too-large",
            Self::BadRequest => "bad-request",
            Self::Broken => "broken",
        }
    }
}
