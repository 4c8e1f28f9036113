//! `/order/new?sku=…`: the order form, and its post. The post is the same use case as the JSON API's; only the answer is a page:
//! an accepted order leads to its page, everything else shows the form again with what was typed and what to do.

mod view;

use super::{
    AppState, authenticate,
    body::{self, BodyKind},
    key,
    render::{self, Frames},
    see_other,
    session::Sessions,
};
use crate::{
    caller::{Caller, SessionId},
    faults::FaultPoint,
    idempotency::{
        Outcome,
        record::{self, State as RecordState},
    },
    orders::{
        order_key,
        request::{FormFields, FormLineFields, OrderRequest},
    },
    problem::{Problem, ProblemKind},
    tokens::{Form, SubmitToken, is_sku},
};
use app::pages::data::{FormBecameOrder, FormNotice, Message, Page, StillWorking};
use axum::{
    body::Body,
    extract::{Query, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use serde::Deserialize;
use view::FormView;

/// The query of the form's addresses.
#[derive(Debug, Default, Deserialize)]
pub struct FormQuery {
    sku: Option<String>,
    /// Present on the way back from setting the first cookie.
    welcome: Option<String>,
}

type FormAddress = Result<Query<FormQuery>, axum::extract::rejection::QueryRejection>;

/// One request for the form of one product by one session.
struct Visit {
    state: AppState,
    frames: Frames,
    session: SessionId,
    sku: String,
}

/// The address of a product's form. A SKU needs no escaping.
fn address(sku: &str) -> String {
    format!("/order/new?sku={sku}")
}

/// The product that an address names, if there is one.
async fn product_of(state: &AppState, frames: &Frames, query: &FormQuery) -> Result<String, Response> {
    let sku = query.sku.as_deref().filter(|sku| is_sku(sku));
    let known = match (sku, state.products().await) {
        (_, Err(error)) => return Err(render::read_failed(state, frames, &error).await),
        (None, _) => None,
        (Some(sku), Ok(products)) => products
            .into_iter()
            .map(|product| product.sku)
            .find(|known| known == sku),
    };
    match known {
        Some(sku) => Ok(sku),
        None => Err(render::message(state, frames, ProblemKind::NotFound, Message::NotFound).await),
    }
}

/// `GET /order/new?sku=…`
pub async fn show(State(state): State<AppState>, frames: Frames, headers: HeaderMap, query: FormAddress) -> Response {
    let query = query.map(|Query(query)| query).unwrap_or_default();
    let sku = match product_of(&state, &frames, &query).await {
        Ok(sku) => sku,
        Err(response) => return response,
    };
    let sessions = Sessions::of(&state);
    let Some(session) = sessions.find(&headers) else {
        if query.welcome.is_some() {
            return render::message(&state, &frames, ProblemKind::MalformedRequest, Message::CookiesNeeded).await;
        }
        return super::no_store(sessions.begin(see_other(&format!("{}&welcome=1", address(&sku)))));
    };
    let visit = Visit {
        frames: frames.returning_to(&address(&sku)),
        state,
        session,
        sku,
    };
    visit.keep(visit.current_page().await)
}

impl Visit {
    fn form(&self) -> Form {
        Form::Order { sku: self.sku.clone() }
    }

    fn keep(&self, response: Response) -> Response {
        Sessions::of(&self.state).keep(response, &self.session)
    }

    /// The form with its token, or what its token became.
    async fn current_page(&self) -> Response {
        match self.state.open_tokens.current(&self.session, &self.form()).await {
            Ok(open) => match open.order_no {
                Some(order_no) => {
                    let became = FormBecameOrder {
                        sku: self.sku.clone(),
                        token: open.token,
                        order_no,
                    };
                    render::page(&self.state, &self.frames, StatusCode::OK, Page::FormBecameOrder(became)).await
                }
                None => {
                    let fields = FormFields {
                        lines: vec![one_piece(&self.sku)],
                        ..FormFields::default()
                    };
                    FormView::of(fields).render(self, StatusCode::OK, open.token).await
                }
            },
            Err(error) => render::read_failed(&self.state, &self.frames, &error).await,
        }
    }

    /// The form again with what was typed, under the token that this session's form shows now.
    async fn again_with_current_token(&self, view: FormView, status: StatusCode) -> Response {
        match self.state.open_tokens.current(&self.session, &self.form()).await {
            Ok(open) => view.render(self, status, open.token).await,
            Err(error) => render::read_failed(&self.state, &self.frames, &error).await,
        }
    }
}

fn one_piece(sku: &str) -> FormLineFields {
    FormLineFields {
        sku: sku.to_owned(),
        qty: Some("1".to_owned()),
        unit_price_fen: None,
    }
}

/// `POST /order/new?sku=…`: a button that changes the form, or the order itself.
pub async fn post(
    State(state): State<AppState>,
    frames: Frames,
    headers: HeaderMap,
    query: FormAddress,
    request_body: Body,
) -> Response {
    let query = query.map(|Query(query)| query).unwrap_or_default();
    let Some(sku) = query.sku.filter(|sku| is_sku(sku)) else {
        return render::message(&state, &frames, ProblemKind::NotFound, Message::NotFound).await;
    };
    let fields = match read_fields(&headers, request_body).await {
        Ok(fields) => fields,
        Err(problem) => {
            let message = match problem.kind {
                ProblemKind::RequestTooLarge => Message::TooLarge,
                _ => Message::BadRequest,
            };
            return render::message(&state, &frames, problem.kind, message).await;
        }
    };
    let caller = match authenticate::caller(&state, &headers) {
        Ok(Caller::Session(session)) => Some(session),
        // The form is for browsers; without a session it gets a new one, and the token that came is not of it.
        Ok(Caller::Client(_)) | Err(_) => None,
    };
    let session = caller.unwrap_or_else(SessionId::new);
    let visit = Visit {
        frames: frames.returning_to(&address(&sku)),
        state,
        session,
        sku,
    };
    let response = match fields.edit.clone() {
        Some(edit) => visit.edit(fields, &edit).await,
        None => visit.submit(&headers, fields).await,
    };
    visit.keep(response)
}

async fn read_fields(headers: &HeaderMap, request_body: Body) -> Result<FormFields, Problem> {
    let body = body::read(headers, request_body).await?;
    match body::kind(headers)? {
        BodyKind::Form => Ok(FormFields::parse(&body)?),
        BodyKind::Json => Err(Problem::new(
            ProblemKind::UnsupportedMediaType,
            "Send the form's fields.",
        )),
    }
}

impl Visit {
    /// Changes the form without sending it: nothing is claimed, the token stays.
    async fn edit(&self, mut fields: FormFields, edit: &str) -> Response {
        if edit == "restart" {
            let token = fields.submit_token.clone().unwrap_or_default();
            if let Err(error) = self
                .state
                .open_tokens
                .start_new(&self.session, &self.form(), &token)
                .await
            {
                return render::read_failed(&self.state, &self.frames, &error).await;
            }
            return self
                .again_with_current_token(FormView::of(fields), StatusCode::OK)
                .await;
        }
        match (edit, edit.strip_prefix("remove:")) {
            ("add", _) => add_line(&mut fields),
            (_, Some(sku)) => fields.lines.retain(|line| line.sku != sku),
            _ => {}
        }
        let token = fields.submit_token.clone().unwrap_or_default();
        let view = FormView {
            notice: Some(FormNotice::Edited),
            ..FormView::of(fields)
        };
        if SubmitToken::verify(&self.state.submission.keys, &self.session, &token).is_some() {
            return view.render(self, StatusCode::OK, token).await;
        }
        self.again_with_current_token(view, StatusCode::OK).await
    }

    /// Sends the order, and answers with a page.
    async fn submit(&self, headers: &HeaderMap, fields: FormFields) -> Response {
        let token = fields.submit_token.clone().unwrap_or_default();
        let outcome = async {
            let key = key::take(headers, fields.submit_token.as_deref())?;
            let caller = Caller::Session(self.session.clone());
            self.state
                .submission
                .submit(caller, &key, || OrderRequest::from_form(&fields))
                .await
        };
        match outcome.await {
            Ok(outcome) => {
                self.state.executor.faults.pass(FaultPoint::BeforeAnswer).await;
                self.answer(outcome, fields, token).await
            }
            Err(problem) => self.answer_problem(&problem, fields, token).await,
        }
    }

    async fn answer(&self, outcome: Outcome, fields: FormFields, token: String) -> Response {
        match outcome {
            Outcome::Done { answer, .. } => see_other(answer.header("location").unwrap_or("/orders")),
            Outcome::Refused(reason) => {
                let view = FormView {
                    notice: Some(view::refusal(&reason)),
                    ..FormView::of(fields)
                };
                let status = StatusCode::from_u16(reason.status).unwrap_or(StatusCode::CONFLICT);
                view.render(self, status, token).await
            }
            Outcome::KeyReused(first) => {
                let order_no = first
                    .header("location")
                    .and_then(|path| path.rsplit('/').next())
                    .unwrap_or("")
                    .to_owned();
                let view = FormView {
                    notice: Some(FormNotice::TokenReused { order_no }),
                    ..FormView::of(fields)
                };
                view.render(self, StatusCode::UNPROCESSABLE_ENTITY, token).await
            }
            // Post, redirect, get: the page that refreshes itself must not send the order again.
            Outcome::Running => see_other(&format!("/order/waiting?sku={}", self.sku)),
            Outcome::TooOld => {
                let view = FormView {
                    notice: Some(FormNotice::TokenExpired),
                    ..FormView::of(fields)
                };
                self.again_with_current_token(view, StatusCode::GONE).await
            }
            Outcome::Unavailable => {
                let view = FormView {
                    notice: Some(FormNotice::TryAgain),
                    ..FormView::of(fields)
                };
                view.render(self, StatusCode::SERVICE_UNAVAILABLE, token).await
            }
            Outcome::Broken => {
                let view = FormView {
                    notice: Some(FormNotice::TryAgain),
                    ..FormView::of(fields)
                };
                view.render(self, StatusCode::INTERNAL_SERVER_ERROR, token).await
            }
        }
    }

    async fn answer_problem(&self, problem: &Problem, fields: FormFields, token: String) -> Response {
        let status = StatusCode::from_u16(problem.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        match problem.kind {
            ProblemKind::InvalidFields => {
                let errors = view::field_errors(&fields);
                FormView {
                    errors,
                    ..FormView::of(fields)
                }
                .render(self, status, token)
                .await
            }
            ProblemKind::RecordExpired => {
                let notice = FormNotice::TokenReused {
                    order_no: problem.text("order_no").to_owned(),
                };
                FormView {
                    notice: Some(notice),
                    ..FormView::of(fields)
                }
                .render(self, status, token)
                .await
            }
            ProblemKind::UnknownToken
            | ProblemKind::MissingKey
            | ProblemKind::MalformedKey
            | ProblemKind::KeyMismatch => {
                let view = FormView {
                    notice: Some(FormNotice::TokenUnknown),
                    ..FormView::of(fields)
                };
                self.again_with_current_token(view, status).await
            }
            kind => render::message(&self.state, &self.frames, kind, Message::BadRequest).await,
        }
    }
}

fn add_line(fields: &mut FormFields) {
    if !is_sku(&fields.add_sku) {
        return;
    }
    match fields.lines.iter_mut().find(|line| line.sku == fields.add_sku) {
        Some(line) => {
            if let Some(Ok(quantity)) = line.qty.as_ref().map(|qty| qty.parse::<u32>()) {
                line.qty = Some(quantity.saturating_add(1).to_string());
            }
        }
        None => fields.lines.push(one_piece(&fields.add_sku)),
    }
}

/// `POST /order/restart?sku=…`: the buyer wants a new order instead of the one that the form became.
pub async fn restart(
    State(state): State<AppState>,
    frames: Frames,
    headers: HeaderMap,
    query: FormAddress,
    request_body: Body,
) -> Response {
    let query = query.map(|Query(query)| query).unwrap_or_default();
    let Some(sku) = query.sku.filter(|sku| is_sku(sku)) else {
        return render::message(&state, &frames, ProblemKind::NotFound, Message::NotFound).await;
    };
    let token = read_fields(&headers, request_body)
        .await
        .ok()
        .and_then(|fields| fields.submit_token)
        .unwrap_or_default();
    if let Some(session) = Sessions::of(&state).find(&headers)
        && let Err(error) = state
            .open_tokens
            .start_new(&session, &Form::Order { sku: sku.clone() }, &token)
            .await
    {
        return render::read_failed(&state, &frames, &error).await;
    }
    see_other(&address(&sku))
}

/// `GET /order/waiting?sku=…`: refreshes itself until the form's order is there, or until nobody works on it any more.
pub async fn waiting(
    State(state): State<AppState>,
    frames: Frames,
    headers: HeaderMap,
    query: FormAddress,
) -> Response {
    let query = query.map(|Query(query)| query).unwrap_or_default();
    let (Some(sku), Some(session)) = (query.sku.filter(|sku| is_sku(sku)), Sessions::of(&state).find(&headers)) else {
        return render::message(&state, &frames, ProblemKind::NotFound, Message::NotFound).await;
    };
    match progress(&state, &session, &sku).await {
        Ok(Progress::Ordered(order_no)) => see_other(&format!("/orders/{order_no}")),
        Ok(progress) => {
            let gave_up = progress == Progress::Nothing;
            let page = Page::StillWorking(StillWorking { sku, gave_up });
            render::page(&state, &frames, StatusCode::OK, page).await
        }
        Err(error) => render::read_failed(&state, &frames, &error).await,
    }
}

#[derive(PartialEq, Eq)]
enum Progress {
    Ordered(String),
    Running,
    Nothing,
}

async fn progress(state: &AppState, session: &SessionId, sku: &str) -> Result<Progress, sqlx::Error> {
    let open = state
        .open_tokens
        .current(session, &Form::Order { sku: sku.to_owned() })
        .await?;
    if let Some(order_no) = open.order_no {
        return Ok(Progress::Ordered(order_no));
    }
    let Some(token) = SubmitToken::verify(&state.submission.keys, session, &open.token) else {
        return Ok(Progress::Nothing);
    };
    let key = order_key(&session.owner(), &token.id.simple().to_string());
    let record = record::read(&mut *state.executor.database.reader().await?, &key).await?;
    Ok(match record.map(|record| record.state) {
        Some(RecordState::Processing { lease_until }) if lease_until >= state.executor.clock.now() => Progress::Running,
        _ => Progress::Nothing,
    })
}
