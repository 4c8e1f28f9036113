//! `POST /order/new?sku=…`: a button that changes the form, or the order itself.

use super::{
    FormAddress, Visit, address, one_piece, read_address,
    view::{self, FormView},
    waiting,
};
use crate::{
    caller::{Caller, SessionId},
    faults::FaultPoint,
    http::{AppState, authenticate, body, key, render::Frames, see_other, session::Sessions},
    idempotency::Outcome,
    orders::request::{FormFields, OrderRequest},
    problem::{Problem, ProblemKind},
    tokens::{Form, SubmitToken, is_sku},
};
use app::pages::data::FormNotice;
use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};

/// `POST /order/new?sku=…`
pub async fn post(
    State(state): State<AppState>,
    frames: Frames,
    headers: HeaderMap,
    query: FormAddress,
    request_body: Body,
) -> Result<Response, Problem> {
    let (sku, _) = read_address(query)?;
    let fields = read_fields(&headers, request_body).await?;
    let session = match authenticate::caller(&state, &headers) {
        Ok(Caller::Session(session)) => session,
        // The form is for browsers; without a session it gets a new one, and the token that came is not of it.
        Ok(Caller::Client(_)) | Err(_) => SessionId::new(),
    };
    let visit = Visit {
        frames: frames.returning_to(&address(&sku)),
        state,
        session,
        sku,
    };
    let response = match fields.edit.clone() {
        Some(edit) => visit.edit(fields, &edit).await?,
        None => visit.submit(&headers, fields).await?,
    };
    Ok(visit.keep(response))
}

async fn read_fields(headers: &HeaderMap, request_body: Body) -> Result<FormFields, Problem> {
    Ok(FormFields::parse(&body::read_form(headers, request_body).await?)?)
}

impl Visit {
    /// Changes the form without sending it: nothing is claimed, the token stays.
    async fn edit(&self, mut fields: FormFields, edit: &str) -> Result<Response, Problem> {
        let token = fields.submit_token.clone().unwrap_or_default();
        match (edit, edit.strip_prefix("remove:")) {
            ("restart", _) => {
                let form = self.form();
                self.state.open_tokens.start_new(&self.session, &form, &token).await?;
                return self.again(FormView::of(fields), StatusCode::OK).await;
            }
            ("add", _) => add_line(&mut fields),
            (_, Some(sku)) => fields.lines.retain(|line| line.sku != sku),
            _ => {}
        }
        let view = FormView::with_notice(fields, FormNotice::Edited);
        if SubmitToken::verify(&self.state.submission.keys, &self.session, &token).is_some() {
            return Ok(view.render(self, StatusCode::OK, token).await);
        }
        self.again(view, StatusCode::OK).await
    }

    /// Sends the order, and answers with a page.
    async fn submit(&self, headers: &HeaderMap, fields: FormFields) -> Result<Response, Problem> {
        let token = fields.submit_token.clone().unwrap_or_default();
        let outcome = async {
            let key = key::take(headers, fields.submit_token.as_deref())?;
            let caller = Caller::Session(self.session.clone());
            let parse = || OrderRequest::from_form(&fields);
            self.state.submission.submit(caller, &key, parse).await
        };
        match outcome.await {
            Ok(outcome) => {
                self.state.executor.faults.pass(FaultPoint::BeforeAnswer).await;
                self.answer(outcome, fields, token).await
            }
            Err(problem) => self.answer_problem(problem, fields, token).await,
        }
    }

    async fn answer(&self, outcome: Outcome, fields: FormFields, token: String) -> Result<Response, Problem> {
        let (status, notice) = match outcome {
            Outcome::Done { answer, .. } => return Ok(see_other(answer.header("location").unwrap_or("/orders"))),
            // Post, redirect, get: the page that refreshes itself must not send the order again.
            Outcome::Running => {
                let token = SubmitToken::verify(&self.state.submission.keys, &self.session, &token);
                let token = token.ok_or_else(Problem::not_found)?;
                return Ok(see_other(&waiting::address(&self.sku, &token)));
            }
            Outcome::TooOld => {
                let view = FormView::with_notice(fields, FormNotice::TokenExpired);
                return self.again(view, StatusCode::GONE).await;
            }
            Outcome::Refused(reason) => (
                StatusCode::from_u16(reason.status).unwrap_or(StatusCode::CONFLICT),
                view::refusal(&reason),
            ),
            Outcome::KeyReused(first) => {
                let order_no = first.header("location").and_then(|path| path.rsplit('/').next());
                let order_no = order_no.unwrap_or("").to_owned();
                (StatusCode::UNPROCESSABLE_ENTITY, FormNotice::TokenReused { order_no })
            }
            Outcome::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, FormNotice::TryAgain),
            Outcome::Broken => (StatusCode::INTERNAL_SERVER_ERROR, FormNotice::TryAgain),
        };
        let view = FormView::with_notice(fields, notice);
        Ok(view.render(self, status, token).await)
    }

    async fn answer_problem(&self, problem: Problem, fields: FormFields, token: String) -> Result<Response, Problem> {
        let status = problem.kind.status_code();
        match problem.kind {
            ProblemKind::InvalidFields => {
                let errors = view::field_errors(&fields);
                let view = FormView {
                    errors,
                    ..FormView::of(fields)
                };
                Ok(view.render(self, status, token).await)
            }
            ProblemKind::RecordExpired => {
                let order_no = problem.text("order_no").to_owned();
                let view = FormView::with_notice(fields, FormNotice::TokenReused { order_no });
                Ok(view.render(self, status, token).await)
            }
            ProblemKind::UnknownToken
            | ProblemKind::MissingKey
            | ProblemKind::MalformedKey
            | ProblemKind::KeyMismatch => {
                let view = FormView::with_notice(fields, FormNotice::TokenUnknown);
                self.again(view, status).await
            }
            _ => Err(problem),
        }
    }

    /// The form again with what was typed, under the token that this session's form shows now.
    async fn again(&self, view: FormView, status: StatusCode) -> Result<Response, Problem> {
        let open = self.state.open_tokens.current(&self.session, &self.form()).await?;
        Ok(view.render(self, status, open.token).await)
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
    headers: HeaderMap,
    query: FormAddress,
    request_body: Body,
) -> Result<Response, Problem> {
    let (sku, _) = read_address(query)?;
    let token = read_fields(&headers, request_body)
        .await?
        .submit_token
        .unwrap_or_default();
    if let Some(session) = Sessions::of(&state).find(&headers) {
        let form = Form::Order { sku: sku.clone() };
        state.open_tokens.start_new(&session, &form, &token).await?;
    }
    Ok(see_other(&address(&sku)).into_response())
}
