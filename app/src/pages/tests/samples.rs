//! Every page in every state, made from one text that stands wherever a buyer or an API client can put text.

pub mod orders;

use crate::{
    pages::data::{
        FieldError, FieldErrorCode, FormBecameOrder, FormLine, FormNotice, Message, OrderForm, OrderSummary, Page,
        ProblemType, StillWorking,
    },
    pricing::Quote,
    wire::Product,
};

/// The types that the server answers with.
pub const PROBLEMS: &[(&str, u16)] = &[
    ("missing-key", 400),
    ("key-mismatch", 400),
    ("malformed-key", 400),
    ("malformed-request", 400),
    ("unsupported-media-type", 415),
    ("request-too-large", 413),
    ("invalid-fields", 422),
    ("unknown-token", 403),
    ("expired-token", 410),
    ("unauthorized", 401),
    ("cross-site-request", 403),
    ("key-reused", 422),
    ("still-running", 409),
    ("sold-out", 409),
    ("unknown-product", 409),
    ("product-off-sale", 409),
    ("price-changed", 409),
    ("coupon-not-usable", 409),
    ("record-expired", 410),
    ("not-found", 404),
    ("method-not-allowed", 405),
    ("unavailable", 503),
    ("internal-error", 500),
];

/// What can be wrong with a field.
pub const FIELD_ERRORS: [FieldErrorCode; 10] = [
    FieldErrorCode::Required,
    FieldErrorCode::TooLong { maximum: 200 },
    FieldErrorCode::ForbiddenCharacter,
    FieldErrorCode::NotAPhoneNumber,
    FieldErrorCode::NotAQuantity { maximum: 99 },
    FieldErrorCode::NotASku,
    FieldErrorCode::TooManyLines { maximum: 50 },
    FieldErrorCode::NotAText,
    FieldErrorCode::NotAnAmount,
    FieldErrorCode::NotAChannel,
];

/// Every page in every state, with a name for each.
pub fn all(typed: &str) -> Vec<(String, Page)> {
    let mut pages = vec![
        ("catalog".to_owned(), Page::Catalog(products())),
        ("catalog-empty".to_owned(), Page::Catalog(Vec::new())),
        ("became-order".to_owned(), Page::FormBecameOrder(became())),
        (
            "working".to_owned(),
            Page::StillWorking(StillWorking {
                sku: "SKU-3".to_owned(),
                gave_up: false,
            }),
        ),
        (
            "gave-up".to_owned(),
            Page::StillWorking(StillWorking {
                sku: "SKU-3".to_owned(),
                gave_up: true,
            }),
        ),
        ("orders".to_owned(), Page::Orders(summaries())),
        ("orders-empty".to_owned(), Page::Orders(Vec::new())),
    ];
    pages.extend(
        forms(typed)
            .into_iter()
            .map(|(name, form)| (name, Page::OrderForm(Box::new(form)))),
    );
    pages.extend(
        orders::all(typed)
            .into_iter()
            .map(|(name, order)| (name, Page::Order(Box::new(order)))),
    );
    let problems: Vec<_> = PROBLEMS
        .iter()
        .map(|&(slug, status)| ProblemType { slug, status })
        .collect();
    pages.extend(
        problems
            .iter()
            .map(|problem| (format!("problem-{}", problem.slug), Page::Problem(*problem))),
    );
    pages.push(("problems".to_owned(), Page::Problems(problems)));
    pages.extend(
        messages()
            .into_iter()
            .map(|message| (format!("message-{}", message.as_str()), Page::Message(message))),
    );
    pages.extend(super::sandbox_samples::all(typed));
    pages
}

/// The order form in every state.
pub fn forms(typed: &str) -> Vec<(String, OrderForm)> {
    let mut forms = vec![
        ("form-fresh".to_owned(), fresh()),
        ("form-typed".to_owned(), filled(typed)),
        ("form-of-unknown".to_owned(), unknown(typed)),
    ];
    let notices = [
        ("expired", FormNotice::TokenExpired),
        ("unknown", FormNotice::TokenUnknown),
        (
            "reused",
            FormNotice::TokenReused {
                order_no: "7K3M9QXT2VHD".to_owned(),
            },
        ),
        ("try-again", FormNotice::TryAgain),
        ("edited", FormNotice::Edited),
        ("sold-out", refused("sold-out", Some("SKU-10"), None)),
        ("sold-out-0", refused("sold-out", Some("SKU-10"), Some(0))),
        ("sold-out-1", refused("sold-out", Some("SKU-10"), Some(1))),
        ("sold-out-4", refused("sold-out", Some("SKU-10"), Some(4))),
        ("price-changed", refused("price-changed", Some("SKU-3"), None)),
        ("price-changed-total", refused("price-changed", None, None)),
        ("unknown-product", refused("unknown-product", Some(typed), None)),
        ("off-sale", refused("product-off-sale", Some("SKU-3"), None)),
        ("coupon", refused("coupon-not-usable", None, None)),
        ("something-new", refused("something-new", None, None)),
    ];
    forms.extend(notices.map(|(name, notice)| {
        (
            format!("form-notice-{name}"),
            OrderForm {
                notice: Some(notice),
                ..filled(typed)
            },
        )
    }));
    forms.extend(FIELD_ERRORS.map(|code| (format!("form-error-{}", code.as_str()), wrong(typed, code))));
    forms
}

fn refused(slug: &str, sku: Option<&str>, available: Option<i64>) -> FormNotice {
    FormNotice::Refused {
        slug: slug.to_owned(),
        sku: sku.map(str::to_owned),
        available,
    }
}

/// A form with this error at every field that there is.
fn wrong(typed: &str, code: FieldErrorCode) -> OrderForm {
    let fields = [
        "items",
        "items[0].qty",
        "items[1].sku",
        "coupon",
        "name",
        "phone",
        "address",
        "note",
    ];
    let errors = fields.map(|field| FieldError {
        field: field.to_owned(),
        code,
    });
    OrderForm {
        errors: errors.to_vec(),
        quote: None,
        ..filled(typed)
    }
}

fn fresh() -> OrderForm {
    OrderForm {
        sku: "SKU-3".to_owned(),
        token: "token".to_owned(),
        lines: vec![line("SKU-3", "1")],
        addable: products().into_iter().filter(|product| product.on_sale).collect(),
        coupon: String::new(),
        coupon_discount_fen: None,
        name: String::new(),
        phone: String::new(),
        address: String::new(),
        note: String::new(),
        quote: Some(Quote {
            subtotal_fen: 1990,
            discount_fen: 0,
            total_fen: 1990,
        }),
        errors: Vec::new(),
        notice: None,
    }
}

fn filled(typed: &str) -> OrderForm {
    let typed = typed.to_owned();
    OrderForm {
        lines: vec![
            line("SKU-3", "2"),
            line("SKU-10", &typed),
            FormLine {
                sku: typed.clone(),
                qty: typed.clone(),
                product: None,
            },
        ],
        coupon: typed.clone(),
        coupon_discount_fen: Some(500),
        name: typed.clone(),
        phone: typed.clone(),
        address: typed.clone(),
        note: typed,
        quote: Some(Quote {
            subtotal_fen: 6880,
            discount_fen: 500,
            total_fen: 6380,
        }),
        ..fresh()
    }
}

/// The form of a product that is not there, asked for by whatever stood in the address.
fn unknown(typed: &str) -> OrderForm {
    OrderForm {
        sku: typed.to_owned(),
        lines: vec![line(typed, "1")],
        addable: Vec::new(),
        quote: None,
        ..fresh()
    }
}

fn line(sku: &str, qty: &str) -> FormLine {
    let product = products().into_iter().find(|product| product.sku == sku);
    FormLine {
        sku: sku.to_owned(),
        qty: qty.to_owned(),
        product,
    }
}

/// The products that the shop starts with.
pub fn products() -> Vec<Product> {
    let product = |sku: &str, name: &str, description: &str, price_fen, available, on_sale| Product {
        sku: sku.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        picture: format!("/pictures/{}.svg", sku.to_lowercase()),
        price_fen,
        available,
        on_sale,
    };
    vec![
        product(
            "SKU-1",
            "Pencil",
            "A cedar pencil for first drafts and last-minute ideas.",
            3,
            10_000,
            true,
        ),
        product(
            "SKU-2",
            "Notebook",
            "Dotted pages, lies flat, fits a coat pocket.",
            880,
            500,
            true,
        ),
        product(
            "SKU-3",
            "Green tea, tin of 100 g",
            "Spring-picked Longjing that stays fresh.",
            1990,
            1,
            true,
        ),
        product(
            "SKU-10",
            "Limited mug",
            "Ten were made. No more will follow.",
            2900,
            10,
            true,
        ),
        product("SKU-50", "Desk lamp", "Warm light where you read.", 5000, 0, true),
        product(
            "SKU-68",
            "Tote bag",
            "Sturdy cotton, carries a week's groceries.",
            6800,
            200,
            false,
        ),
        product(
            "SKU-128",
            "Mechanical keyboard",
            "Quiet keys. Each press counts once.",
            12800,
            80,
            true,
        ),
        product(
            "SKU-199",
            "Wireless headphones",
            "Thirty hours of sound.",
            19900,
            60,
            true,
        ),
    ]
}

fn became() -> FormBecameOrder {
    FormBecameOrder {
        sku: "SKU-3".to_owned(),
        token: "token".to_owned(),
        order_no: "7K3M9QXT2VHD".to_owned(),
    }
}

fn summaries() -> Vec<OrderSummary> {
    let summary = |order_no: &str, status: &str, pieces, total_fen, created_at: &str| OrderSummary {
        order_no: order_no.to_owned(),
        status: status.to_owned(),
        total_fen,
        pieces,
        created_at: created_at.to_owned(),
    };
    vec![
        summary("7K3M9QXT2VHD", "WAIT_PAY", 3, 6380, "2026-12-01T09:35:00Z"),
        summary("2026-AB12-CD34", "PAID", 1, 1990, "2026-11-30T16:00:00.250Z"),
        summary("9Q4T7KXM2PRW", "SOMETHING_NEW", 99, 297, "2026-11-02T01:07:00Z"),
    ]
}

/// Every page that only says something.
pub fn messages() -> [Message; 7] {
    [
        Message::NotFound,
        Message::CookiesNeeded,
        Message::CrossSite,
        Message::Unavailable,
        Message::TooLarge,
        Message::BadRequest,
        Message::Broken,
    ]
}
