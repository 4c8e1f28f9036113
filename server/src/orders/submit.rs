//! Submitting an order: the one use case behind the JSON API and the form.
//!
//! It takes steps 1 and 2 (the key, whose it is, the
//! shape, the digest) in this order and hands the rest to the executor; nothing is looked up before that.

use super::{
    place::{PlaceOrder, record_expired},
    read::number_of_key,
    request::{Expectation, OrderRequest, RequestError},
};
use crate::{
    caller::Caller,
    idempotency::{Call, Executor, FirstClaim, Outcome},
    problem::{Problem, ProblemKind},
    signing::SigningKeys,
    tokens::{SubmitToken, order_key},
};
use std::sync::Arc;
use tokio::sync::Notify;

/// Submits orders.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Runs the steps.
    pub executor: Arc<Executor>,
    /// What signed the tokens.
    pub keys: SigningKeys,
    /// Wakes what waits for an order: a notification that came before it.
    pub work: Arc<Notify>,
}

impl Submission {
    /// Submits what was sent under a key. A session's key is a submit token that it was issued; an API client's is its own.
    pub async fn submit(
        &self,
        caller: Caller,
        key: &str,
        parse: impl FnOnce() -> Result<(OrderRequest, Expectation), RequestError>,
    ) -> Result<Outcome, Problem> {
        let (clock, durations) = (self.executor.clock, self.executor.durations);
        let (key, first_claim, token) = match &caller {
            Caller::Client(_) => (order_key(&caller.owner(), key), FirstClaim::Allowed, None),
            Caller::Session(session) => {
                let token = SubmitToken::verify(&self.keys, session, key).ok_or_else(unknown_token)?;
                let expired = token.is_expired(&durations, clock.now());
                let first_claim = if expired {
                    FirstClaim::Forbidden
                } else {
                    FirstClaim::Allowed
                };
                let key = order_key(&caller.owner(), &token.key());
                (key, first_claim, Some((session.clone(), token)))
            }
        };
        let (request, expectation) = parse()?;
        let digest = request.digest()?;
        let operation = PlaceOrder {
            request,
            expectation,
            caller,
            key: key.clone(),
            token,
            clock,
            durations,
        };
        let outcome = self
            .executor
            .execute(Call {
                key: key.clone(),
                digest,
                first_claim,
                operation,
            })
            .await;
        self.work.notify_waiters();
        match outcome {
            // Too old for a first claim: if the record is gone but the order is there, its owner is led to it.
            Outcome::TooOld => match self.order_of(&key.biz_key).await {
                Ok(Some(order_no)) => Err(record_expired(&order_no)),
                Ok(None) => Ok(Outcome::TooOld),
                Err(error) => {
                    tracing::warn!(%error, "an order could not be looked up");
                    Ok(Outcome::Unavailable)
                }
            },
            Outcome::KeyReused(first) => {
                tracing::error!(operation = key.biz_type, "a key was used again for another request");
                Ok(Outcome::KeyReused(first))
            }
            other => Ok(other),
        }
    }

    async fn order_of(&self, submit_key: &str) -> Result<Option<String>, sqlx::Error> {
        number_of_key(&mut *self.executor.database.reader().await?, submit_key).await
    }
}

impl From<RequestError> for Problem {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Malformed(detail) => Self::new(ProblemKind::MalformedRequest, detail),
            RequestError::Fields(errors) => Self::invalid_fields(&errors),
        }
    }
}

fn unknown_token() -> Problem {
    Problem::new(
        ProblemKind::UnknownToken,
        "Load the order form again, or ask for a new token; this one was not issued to this session.",
    )
}
