//! `GET /orders/{order_no}/changes`: tells an open page when its order has changed, as server-sent events whose data is the
//! order's version.
//!
//! The page fetches itself anew; nothing of the order is in the stream.

use super::{
    AppState,
    order_number::{OrderNo, order_number},
    session::Sessions,
};
use crate::{orders::act::check_owner, problem::Problem};
use axum::{
    extract::State,
    http::HeaderMap,
    response::{
        IntoResponse as _, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures::{Stream, stream};
use sqlx::Row as _;
use std::{convert::Infallible, time::Duration};

/// How often a stream looks when nothing in this process wakes it: another server may have changed the order.
const LOOK: Duration = Duration::from_secs(1);

/// How long one stream lives; a browser opens it again by itself.
const LIFE: Duration = Duration::from_mins(15);

/// Tells of changes.
pub async fn listen(State(state): State<AppState>, headers: HeaderMap, order_no: OrderNo) -> Result<Response, Problem> {
    let order_no = order_number(order_no)?;
    let session = Sessions::of(&state).find(&headers).ok_or_else(Problem::not_found)?;
    check_owner(&state.executor, &order_no, &session.owner()).await?;
    let end = tokio::time::Instant::now() + LIFE;
    let changes = Changes {
        state,
        order_no,
        told: 0,
        end,
    };
    let stream = Sse::new(versions(changes)).keep_alive(KeepAlive::new().interval(Duration::from_secs(20)));
    Ok(super::no_store(stream.into_response()))
}

struct Changes {
    state: AppState,
    order_no: String,
    told: i64,
    end: tokio::time::Instant,
}

fn versions(changes: Changes) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(changes, |mut changes| async move {
        let version = changes.next().await?;
        changes.told = version;
        Some((Ok(Event::default().data(version.to_string())), changes))
    })
}

impl Changes {
    /// The next version that is newer than the one told; none when the stream ends.
    async fn next(&self) -> Option<i64> {
        loop {
            let woken = self.state.payments.work.notified();
            match self.version().await {
                Ok(version) if version > self.told => return Some(version),
                Ok(_) => {}
                Err(error) => tracing::debug!(%error, "an order's version could not be read now"),
            }
            tokio::select! {
                () = self.state.stop.cancelled() => return None,
                () = tokio::time::sleep_until(self.end) => return None,
                () = woken => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    async fn version(&self) -> Result<i64, sqlx::Error> {
        let mut connection = self.state.executor.database.reader().await?;
        sqlx::query("SELECT version FROM orders WHERE order_no = $1")
            .bind(&self.order_no)
            .fetch_one(&mut *connection)
            .await?
            .try_get("version")
    }
}
