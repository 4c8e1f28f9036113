//! Who asks: a client of the API by its bearer token, else a browser by its session cookie.

use super::{AppState, session::Sessions};
use crate::{
    caller::Caller,
    problem::{Problem, ProblemKind},
};
use axum::http::{HeaderMap, header};
use subtle::ConstantTimeEq as _;

/// The caller of a request, or why there is none.
pub fn caller(state: &AppState, headers: &HeaderMap) -> Result<Caller, Problem> {
    if headers.contains_key(header::AUTHORIZATION) {
        return client(state, headers);
    }
    match Sessions::of(state).find(headers) {
        Some(session) => Ok(Caller::Session(session)),
        // Without a session no token can be of this session: the same answer as for a forged one, so that nothing is revealed.
        None => Err(Problem::new(
            ProblemKind::UnknownToken,
            "The request carries no session that this shop began.",
        )),
    }
}

fn client(state: &AppState, headers: &HeaderMap) -> Result<Caller, Problem> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let bearer = match (given.next().and_then(|value| value.to_str().ok()), given.next()) {
        (Some(value), None) => value
            .split_once(' ')
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")),
        _ => None,
    };
    let unauthorized = || Problem::new(ProblemKind::Unauthorized, "The bearer token is not known.");
    let (_, token) = bearer.ok_or_else(unauthorized)?;
    state
        .settings
        .api_clients
        .iter()
        .find(|client| bool::from(client.token.as_bytes().ct_eq(token.trim().as_bytes())))
        .map(|client| Caller::Client(client.name.clone()))
        .ok_or_else(unauthorized)
}
