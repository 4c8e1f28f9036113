//! `/order/new?sku=…`: the order form.
//!
//! Its post ([`post`]) is the same use case as the JSON API's; only the answer is a page: an accepted order leads to its page,
//! everything else shows the form again with what was typed and what to do.

pub mod post;
mod view;
pub mod waiting;

use super::{
    AppState, no_store,
    render::{self, Frames},
    see_other,
    session::Sessions,
};
use crate::{
    caller::SessionId,
    clock::milliseconds,
    orders::request::{FormFields, FormLineFields},
    problem::Problem,
    tokens::{Form, is_sku},
};
use app::pages::data::{FormBecameOrder, Message, Page};
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use serde::Deserialize;
use std::time::Duration;
use view::FormView;

/// The query of the form's addresses.
#[derive(Debug, Default, Deserialize)]
pub struct FormQuery {
    sku: Option<String>,
    /// When the first cookie was set, on the way back from there: milliseconds since 1970.
    welcome: Option<i64>,
    /// Which attempt the waiting page waits for.
    attempt: Option<String>,
}

type FormAddress = Result<Query<FormQuery>, QueryRejection>;

/// How long after setting the first cookie a browser without it is one that keeps none. Later it is another browser, in which
/// somebody opens an address that was copied.
const WELCOME: Duration = Duration::from_secs(30);

/// The SKU that an address names, if it could be one, and when the first cookie was set.
fn read_address(query: FormAddress) -> Result<(String, Option<i64>), Problem> {
    let query = query.map(|Query(query)| query).unwrap_or_default();
    let sku = query.sku.filter(|sku| is_sku(sku)).ok_or_else(Problem::not_found)?;
    Ok((sku, query.welcome))
}

/// The address of a product's form. A SKU needs no escaping.
fn address(sku: &str) -> String {
    format!("/order/new?sku={sku}")
}

/// One request for the form of one product by one session.
struct Visit {
    state: AppState,
    frames: Frames,
    session: SessionId,
    sku: String,
}

/// `GET /order/new?sku=…`
pub async fn show(
    State(state): State<AppState>,
    frames: Frames,
    headers: HeaderMap,
    query: FormAddress,
) -> Result<Response, Problem> {
    let (sku, welcomed) = read_address(query)?;
    // Only a product that exists has a form, so that nobody can fill the table of tokens with made-up ones.
    if !state.products().await?.iter().any(|product| product.sku == sku) {
        return Err(Problem::not_found());
    }
    let sessions = Sessions::of(&state);
    let Some(session) = sessions.find(&headers) else {
        let now = state.executor.clock.now();
        if welcomed.is_some_and(|then| (0..=milliseconds(WELCOME)).contains(&now.saturating_sub(then))) {
            let page = Page::Message(Message::CookiesNeeded);
            return Ok(render::page(&state, &frames, StatusCode::BAD_REQUEST, page));
        }
        return Ok(no_store(
            sessions.begin(see_other(&format!("{}&welcome={now}", address(&sku)))),
        ));
    };
    let visit = Visit {
        frames: frames.returning_to(&address(&sku)),
        state,
        session,
        sku,
    };
    Ok(visit.keep(visit.current_page().await?))
}

impl Visit {
    fn form(&self) -> Form {
        Form::Order { sku: self.sku.clone() }
    }

    fn keep(&self, response: Response) -> Response {
        Sessions::of(&self.state).keep(response, &self.session)
    }

    /// The form with its token, or what its token became.
    async fn current_page(&self) -> Result<Response, Problem> {
        let open = self.state.open_tokens.current(&self.session, &self.form()).await?;
        let Some(order_no) = open.order_no else {
            let fields = FormFields {
                lines: vec![one_piece(&self.sku)],
                ..FormFields::default()
            };
            return Ok(FormView::of(fields).render(self, StatusCode::OK, open.token).await);
        };
        let became = FormBecameOrder {
            sku: self.sku.clone(),
            token: open.token,
            order_no,
        };
        let page = Page::FormBecameOrder(became);
        Ok(render::page(&self.state, &self.frames, StatusCode::OK, page))
    }
}

fn one_piece(sku: &str) -> FormLineFields {
    FormLineFields {
        sku: sku.to_owned(),
        qty: Some("1".to_owned()),
        unit_price_fen: None,
    }
}
