//! What the form's page shows: what was typed, with the products and prices of now beside it.

use super::{Visit, address};
use crate::{
    coupons,
    http::render,
    idempotency::Answer,
    orders::request::{FormFields, FormLineFields, OrderRequest, RequestError, clean_text},
};
use app::{
    pages::data::{FieldError, FormLine, FormNotice, OrderForm, Page},
    pricing::{PricedLine, Quote, quote},
    wire::Product,
};
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use serde_json::Value;

/// The form as typed, with what is to be said about it.
#[derive(Debug, Default)]
pub struct FormView {
    /// What was typed.
    pub fields: FormFields,
    /// What is wrong with fields.
    pub errors: Vec<FieldError>,
    /// What else is to be said.
    pub notice: Option<FormNotice>,
}

impl FormView {
    /// The form as typed, with nothing to be said.
    pub fn of(fields: FormFields) -> Self {
        Self {
            fields,
            ..Self::default()
        }
    }

    /// The form as typed, with a notice.
    pub fn with_notice(fields: FormFields, notice: FormNotice) -> Self {
        Self {
            notice: Some(notice),
            ..Self::of(fields)
        }
    }

    /// The page. When the database is away, what was typed is shown all the same.
    pub async fn render(self, visit: &Visit, status: StatusCode, token: String) -> Response {
        let (products, discount) = match self.look_up(visit).await {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, "the form is shown without its products");
                (Vec::new(), None)
            }
        };
        let lines: Vec<FormLine> = self
            .fields
            .lines
            .into_iter()
            .map(|line| form_line(line, &products))
            .collect();
        let form = OrderForm {
            sku: visit.sku.clone(),
            token,
            quote: quote_of(&lines, discount.unwrap_or(0)),
            lines,
            addable: products.into_iter().filter(|product| product.on_sale).collect(),
            coupon: self.fields.coupon,
            coupon_discount_fen: discount,
            name: self.fields.name,
            phone: self.fields.phone,
            address: self.fields.address,
            note: self.fields.note,
            errors: self.errors,
            notice: self.notice,
        };
        let frames = visit.frames.clone().returning_to(&address(&visit.sku));
        let mut response = render::page(&visit.state, &frames, status, Page::OrderForm(Box::new(form)));
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
        }
        response
    }

    async fn look_up(&self, visit: &Visit) -> Result<(Vec<Product>, Option<i64>), sqlx::Error> {
        let products = visit.state.products().await?;
        let products = products
            .iter()
            .map(|product| product.in_language(visit.frames.language))
            .collect();
        let code = clean_text(&self.fields.coupon).to_uppercase();
        let discount = if code.is_empty() || code.contains('\0') {
            None
        } else {
            let mut connection = visit.state.executor.database.reader().await?;
            coupons::usable_discount(&mut connection, &code).await?
        };
        Ok((products, discount))
    }
}

fn form_line(line: FormLineFields, products: &[Product]) -> FormLine {
    let product = products.iter().find(|product| product.sku == line.sku).cloned();
    FormLine {
        sku: line.sku,
        qty: line.qty.unwrap_or_default(),
        product,
    }
}

fn quote_of(lines: &[FormLine], discount_fen: i64) -> Option<Quote> {
    let priced: Option<Vec<_>> = lines
        .iter()
        .map(|line| {
            Some(PricedLine {
                unit_price_fen: line.product.as_ref()?.price_fen,
                quantity: line.qty.trim().parse().ok()?,
            })
        })
        .collect();
    quote(&priced?, discount_fen)
}

/// What is wrong with the fields, as the page shows it.
pub fn field_errors(fields: &FormFields) -> Vec<FieldError> {
    match OrderRequest::from_form(fields) {
        Err(RequestError::Fields(errors)) => errors,
        Err(RequestError::Malformed(_)) | Ok(_) => Vec::new(),
    }
}

/// A stored refusal as the page shows it: the API's problem, read back.
pub fn refusal(reason: &Answer) -> FormNotice {
    let problem: Value = serde_json::from_str(&reason.body).unwrap_or_default();
    let slug = problem["type"]
        .as_str()
        .and_then(|uri| uri.rsplit('/').next())
        .unwrap_or("internal-error");
    match problem["order_no"].as_str() {
        Some(order_no) => FormNotice::TokenReused {
            order_no: order_no.to_owned(),
        },
        None => FormNotice::Refused {
            slug: slug.to_owned(),
            sku: problem["sku"].as_str().map(str::to_owned),
            available: problem["available"].as_i64(),
        },
    }
}
