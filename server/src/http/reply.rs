//! Answers of the API: stored answers, problems, JSON.

use crate::{
    idempotency::{Answer, Outcome},
    problem::{Problem, ProblemKind},
};
use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};

/// Marks an answer that an earlier request earned.
pub const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A problem as a response.
pub fn problem(problem: &Problem) -> Response {
    let mut response = stored(&problem.to_answer());
    if let Some(seconds) = problem.kind.retry_after_seconds() {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if problem.kind == ProblemKind::Unauthorized {
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        problem(&self)
    }
}

/// A stored answer as a response, byte for byte.
pub fn stored(answer: &Answer) -> Response {
    let mut response = Response::new(Body::from(answer.body.clone()));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in &answer.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    super::no_store(response)
}

/// What became of an idempotent write, as the API answers it.
pub fn outcome(outcome: &Outcome) -> Response {
    match outcome {
        Outcome::Done { answer, replayed } => {
            let mut response = stored(answer);
            if *replayed {
                response
                    .headers_mut()
                    .insert(REPLAYED, HeaderValue::from_static("true"));
            }
            response
        }
        Outcome::Refused(answer) => stored(answer),
        other => problem(&unanswered(other)),
    }
}

/// The problem of an outcome that has no stored answer of its own to give.
fn unanswered(outcome: &Outcome) -> Problem {
    match outcome {
        Outcome::KeyReused(_) => Problem::new(
            ProblemKind::KeyReused,
            "An accepted request with this key had other content. Nothing was changed.",
        ),
        Outcome::Running => Problem::new(ProblemKind::StillRunning, "Retry with the same key to get its result."),
        Outcome::TooOld => Problem::new(
            ProblemKind::ExpiredToken,
            "Ask for a new token. Nothing was ordered with this one.",
        ),
        Outcome::Unavailable => Problem::new(
            ProblemKind::Unavailable,
            "It is not known to be done. Retry with the same key: it is done at most once.",
        ),
        Outcome::Done { .. } | Outcome::Refused(_) | Outcome::Broken => {
            Problem::new(ProblemKind::InternalError, "Retrying with the same key is safe.")
        }
    }
}

/// A database error outside the executor, which judges its own.
impl From<sqlx::Error> for Problem {
    fn from(error: sqlx::Error) -> Self {
        if crate::db::is_unavailable(&error) {
            tracing::warn!(%error, "the database could not be asked now");
            Self::new(ProblemKind::Unavailable, "The database does not answer right now.")
        } else {
            tracing::error!(%error, "the database could not be asked");
            Self::new(ProblemKind::InternalError, "The log has the details.")
        }
    }
}
