//! The executor: one request, at most one effect, however often it is sent.
//!
//! Every idempotent write goes through the same seven steps. Steps 1 and 2 happen before this file (the key is read, the sender
//! authenticated, the shape checked, the digest computed; nothing is touched before that), step 7 after it (consumers of the
//! outbox). What happens here:
//!
//! 3. Take a database connection, then ask the gate. Duplicates of work in hand wait without holding a connection.
//! 4. Claim the key in a transaction of its own. The primary key decides; nothing is looked up first.
//! 5. Do the work in one business transaction whose first statement is the fence: "done, with this answer, if the claim is still
//!    mine". A crash before the commit leaves a claim whose lease runs out; a crash after it leaves the answer. There is no state
//!    in between.
//! 6. Answer; then, off the caller's path, tell the gate.
//!
//! The executor knows nothing of shops: an [`Operation`] says what to do and what to answer.

mod answer;
mod digest;
mod gate;
pub mod record;
mod waiters;

pub use answer::Answer;
pub use digest::Digest;
pub use gate::Gate;
pub use waiters::Waiters;

use crate::{
    clock::{Clock, Milliseconds, milliseconds},
    db::{Database, is_retryable, is_unavailable},
    durations::Durations,
    faults::{FaultPoint, Faults},
};
use futures::FutureExt as _;
use gate::GateReply;
use record::{Bid, Claim, Record, State};
use sha2::{Digest as _, Sha256};
use sqlx::{Any, AnyConnection, pool::PoolConnection};
use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio_util::task::TaskTracker;
use waiters::Interest;

/// A key together with whose key it is and what it is for. Nobody can read, burn or probe another's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopedKey {
    /// Kind of operation.
    pub biz_type: &'static str,
    /// Who and key, at most 128 characters.
    pub biz_key: String,
}

impl ScopedKey {
    /// Most characters of a key in the table.
    const MAXIMUM: usize = 128;

    /// Joins who and key; when that is too long, its SHA-256 stands for it.
    pub fn new(biz_type: &'static str, who: &str, key: &str) -> Self {
        let joined = format!("{who}:{key}");
        let biz_key = if joined.len() <= Self::MAXIMUM {
            joined
        } else {
            let hash = Sha256::digest(joined.as_bytes());
            format!(
                "sha256:{}",
                hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
            )
        };
        Self { biz_type, biz_key }
    }

    fn as_text(&self) -> String {
        format!("{}:{}", self.biz_type, self.biz_key)
    }
}

/// Whether a key that has no record may be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstClaim {
    /// Yes.
    Allowed,
    /// No: the key is too old for a first claim. What it already stands for is still answered.
    Forbidden,
}

/// One request to do something at most once.
#[derive(Debug)]
pub struct Call<O> {
    /// The key.
    pub key: ScopedKey,
    /// The digest of what is asked for.
    pub digest: Digest,
    /// Whether a first claim is allowed.
    pub first_claim: FirstClaim,
    /// What to do.
    pub operation: O,
}

/// Something that can be done at most once.
pub trait Operation: Send + Sync + 'static {
    /// What the effects will be, worked out before the transaction.
    type Plan: Send + Sync;

    /// Works out the effects and the answer they deserve, reading without a transaction. What it read may have changed by the
    /// time of [`Self::apply`], whose conditional writes find out.
    fn plan(
        &self,
        connection: &mut AnyConnection,
    ) -> impl Future<Output = Result<Planned<Self::Plan>, sqlx::Error>> + Send;

    /// Writes the effects inside the business transaction, behind the fence. Every write that depends on something read is
    /// conditional on it.
    fn apply(
        &self,
        transaction: &mut AnyConnection,
        plan: &Self::Plan,
    ) -> impl Future<Output = Result<Applied, sqlx::Error>> + Send;
}

/// What [`Operation::plan`] found.
#[derive(Debug)]
pub enum Planned<P> {
    /// It can be done, with this answer.
    Feasible(P, Answer),
    /// It is refused, with this reason.
    Refused(Answer),
}

/// What [`Operation::apply`] found.
#[derive(Debug)]
pub enum Applied {
    /// All effects are written.
    Done,
    /// Something that the plan rests on has changed: roll back and plan again.
    PlanIsStale,
    /// It is refused after all: roll back.
    Refused(Answer),
}

/// What became of a call.
#[derive(Debug)]
pub enum Outcome {
    /// Accepted.
    Done {
        /// The first answer.
        answer: Answer,
        /// Whether an earlier request was the one that did it.
        replayed: bool,
    },
    /// Refused by business, without effect; the key is free for the same or another body.
    Refused(Answer),
    /// The key stands for an accepted request of another meaning, whose answer this is. Nothing changed.
    KeyReused(Answer),
    /// Another request with this key is still being worked on.
    Running,
    /// The key has no record and is too old to get one.
    TooOld,
    /// The database is away, too slow or has no connection free. Nothing is known to be done; a retry with the same key is safe,
    /// also if the commit did arrive and only its answer was lost.
    Unavailable,
    /// A defect of ours; the log has the details. A retry is safe.
    Broken,
}

/// How often a stale plan is made anew before the caller is asked to try later.
const PLANS: usize = 5;

/// Runs the steps. One per server.
#[derive(Debug)]
pub struct Executor {
    /// Where the records and the business tables are.
    pub database: Database,
    /// Redis, or nothing, in front.
    pub gate: Gate,
    /// Who waits in this process.
    pub waiters: Waiters,
    /// The application's clock.
    pub clock: Clock,
    /// The durations.
    pub durations: Durations,
    /// Where to stumble, in test builds.
    pub faults: Faults,
    /// The work in hand, which a stopping server waits for.
    pub tasks: TaskTracker,
}

impl Executor {
    /// Does the work of a call at most once and says what became of it. The work is detached from the caller before anything is
    /// touched: a caller who goes away changes nothing, and a retry finds the result.
    pub async fn execute<O: Operation>(self: &Arc<Self>, call: Call<O>) -> Outcome {
        let executor = Arc::clone(self);
        let work = self.tasks.spawn(async move {
            executor.run(&call).await.unwrap_or_else(|error| {
                if is_unavailable(&error) {
                    tracing::warn!(%error, "a write could not be done now");
                    Outcome::Unavailable
                } else {
                    tracing::error!(%error, "a write failed");
                    Outcome::Broken
                }
            })
        });
        work.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a write panicked");
            Outcome::Broken
        })
    }

    /// Steps 3 to 6.
    async fn run<O: Operation>(&self, call: &Call<O>) -> Result<Outcome, sqlx::Error> {
        // Registered before anything is read, so that no wake-up is missed.
        let mut patience = Patience::new(
            self.waiters.register(&call.key.as_text()),
            self.clock.now(),
            &self.durations,
        );
        // Somebody in this process has the key in hand: wait without a connection, which they may need themselves.
        if !patience.interest.works() && !patience.wait_to_the_end().await {
            return Ok(Outcome::Running);
        }
        let claim = Claim {
            id: uuid::Uuid::new_v4().simple().to_string(),
        };
        let mut connection = self.database.writer().await?;
        match self.gate.enter(&call.key, &call.digest, &claim.id).await {
            // Only an equal meaning is answered from here; every other judgement is the database's.
            GateReply::Finished {
                same_meaning: true,
                answer,
            } => return Ok(Outcome::Done { answer, replayed: true }),
            GateReply::Finished { .. } | GateReply::Open => {}
            GateReply::Busy => {
                drop(connection);
                patience.wait().await;
                connection = self.database.writer().await?;
            }
        }
        let outcome = self.claim_and_work(call, &claim, connection, &mut patience).await;
        self.leave_gate(call, claim, outcome.as_ref().ok());
        outcome
    }

    /// Steps 4 and 5, until the key is settled or patience is over.
    async fn claim_and_work<O: Operation>(
        &self,
        call: &Call<O>,
        claim: &Claim,
        mut connection: PoolConnection<Any>,
        patience: &mut Patience,
    ) -> Result<Outcome, sqlx::Error> {
        loop {
            match self.claim(&mut connection, call, claim, patience).await? {
                Claimed::Settled(outcome) => return Ok(outcome),
                Claimed::Mine => {
                    self.faults.pass(FaultPoint::AfterClaim).await;
                    let worked = self.work_in_time(connection, call, claim).await;
                    self.waiters.wake(&call.key.as_text());
                    match worked? {
                        Worked::Ended(outcome) => return Ok(outcome),
                        // Another request took over while we worked: from here on we are a duplicate.
                        Worked::FenceLost => {}
                    }
                }
                Claimed::Running => {
                    drop(connection);
                    if !patience.wait().await {
                        return Ok(Outcome::Running);
                    }
                }
            }
            connection = self.database.writer().await?;
        }
    }

    /// Step 4. The INSERT decides; only who loses it reads.
    async fn claim<O>(
        &self,
        connection: &mut AnyConnection,
        call: &Call<O>,
        claim: &Claim,
        patience: &Patience,
    ) -> Result<Claimed, sqlx::Error> {
        let dialect = self.database.dialect;
        let first = call.first_claim == FirstClaim::Allowed;
        loop {
            let now = self.clock.now();
            let lease_until = now.saturating_add(milliseconds(self.durations.lease));
            let bid = Bid {
                key: &call.key,
                digest: &call.digest,
                claim,
                now,
                lease_until,
            };
            if first && record::insert(connection, dialect, bid).await? {
                return Ok(Claimed::Mine);
            }
            let Some(record) = record::read(connection, &call.key).await? else {
                if first {
                    continue; // The row that was in the way has gone since: the INSERT decides again.
                }
                return Ok(Claimed::Settled(Outcome::TooOld));
            };
            return match judge(record, &call.digest, now, patience) {
                Judgement::Settled(outcome) => Ok(Claimed::Settled(outcome)),
                Judgement::Running => Ok(Claimed::Running),
                Judgement::Free => {
                    let wait = self.durations.take_over_lock_timeout;
                    let taken = record::take_over(connection, dialect, bid, wait).await?;
                    Ok(if taken { Claimed::Mine } else { Claimed::Running })
                }
            };
        }
    }

    /// Step 5 within the call timeout, which is below the lease. If it does not end well, the claim is given up at once, so that
    /// a retry need not wait for the lease.
    async fn work_in_time<O: Operation>(
        &self,
        mut connection: PoolConnection<Any>,
        call: &Call<O>,
        claim: &Claim,
    ) -> Result<Worked, sqlx::Error> {
        // A panic leaves nothing half done: the transaction rolls back, and what was planned is dropped.
        let work = AssertUnwindSafe(self.work(&mut connection, call, claim)).catch_unwind();
        let worked = match tokio::time::timeout(self.durations.call_timeout, work).await {
            Ok(Ok(worked)) => worked,
            Ok(Err(_)) => Ok(Worked::Ended(Outcome::Broken)),
            Err(_) => Ok(Worked::Ended(Outcome::Unavailable)),
        };
        drop(connection);
        if matches!(
            worked,
            Err(_) | Ok(Worked::Ended(Outcome::Unavailable | Outcome::Broken))
        ) && let Err(error) = self.abandon(call, claim).await
        {
            tracing::warn!(%error, "a claim could not be given up; its lease will run out");
        }
        worked
    }

    async fn abandon<O>(&self, call: &Call<O>, claim: &Claim) -> Result<(), sqlx::Error> {
        record::abandon(&mut *self.database.writer().await?, &call.key, claim).await
    }

    async fn work<O: Operation>(
        &self,
        connection: &mut AnyConnection,
        call: &Call<O>,
        claim: &Claim,
    ) -> Result<Worked, sqlx::Error> {
        for _ in 0..PLANS {
            let (plan, answer) = match call.operation.plan(connection).await? {
                Planned::Feasible(plan, answer) => (plan, answer),
                Planned::Refused(reason) => return self.refuse(connection, call, claim, reason).await,
            };
            match self.transact(connection, call, claim, &plan, &answer).await {
                Ok(Transacted::Committed) => {
                    return Ok(Worked::Ended(Outcome::Done {
                        answer,
                        replayed: false,
                    }));
                }
                Ok(Transacted::FenceLost) => return Ok(Worked::FenceLost),
                Ok(Transacted::Applied(Applied::Refused(reason))) => {
                    return self.refuse(connection, call, claim, reason).await;
                }
                Ok(Transacted::Applied(Applied::Done | Applied::PlanIsStale)) => {}
                Err(error) if is_retryable(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Worked::Ended(Outcome::Unavailable))
    }

    /// The business transaction: the fence, the effects, the commit.
    async fn transact<O: Operation>(
        &self,
        connection: &mut AnyConnection,
        call: &Call<O>,
        claim: &Claim,
        plan: &O::Plan,
        answer: &Answer,
    ) -> Result<Transacted, sqlx::Error> {
        let mut transaction = self.database.begin(connection).await?;
        if !record::fence(&mut transaction, &call.key, claim, answer, self.clock.now()).await? {
            transaction.rollback().await?;
            return Ok(Transacted::FenceLost);
        }
        self.faults.pass(FaultPoint::AfterFence).await;
        let applied = call.operation.apply(&mut transaction, plan).await?;
        if !matches!(applied, Applied::Done) {
            transaction.rollback().await?;
            return Ok(Transacted::Applied(applied));
        }
        transaction.commit().await?;
        self.faults.pass(FaultPoint::AfterCommit).await;
        Ok(Transacted::Committed)
    }

    /// A refusal has no effect but its reason in the record, which frees the key.
    async fn refuse<O>(
        &self,
        connection: &mut AnyConnection,
        call: &Call<O>,
        claim: &Claim,
        reason: Answer,
    ) -> Result<Worked, sqlx::Error> {
        let ours = record::refuse(connection, &call.key, claim, &reason, self.clock.now()).await?;
        Ok(if ours {
            Worked::Ended(Outcome::Refused(reason))
        } else {
            Worked::FenceLost
        })
    }

    /// Step 6, off the caller's path.
    fn leave_gate<O>(&self, call: &Call<O>, claim: Claim, outcome: Option<&Outcome>) {
        let accepted = match outcome {
            Some(Outcome::Done { answer, .. }) => Some(answer.clone()),
            _ => None,
        };
        let (gate, key, digest) = (self.gate.clone(), call.key.clone(), call.digest);
        self.tasks
            .spawn(async move { gate.leave(&key, &digest, &claim.id, accepted.as_ref()).await });
    }
}

/// What a record means for a request that did not get to insert it.
enum Judgement {
    Settled(Outcome),
    Running,
    Free,
}

fn judge(record: Record, digest: &Digest, now: Milliseconds, patience: &Patience) -> Judgement {
    let same_meaning = record.digest == digest.as_bytes();
    match record.state {
        State::Done(answer) if same_meaning => Judgement::Settled(Outcome::Done { answer, replayed: true }),
        State::Done(answer) => Judgement::Settled(Outcome::KeyReused(answer)),
        // Refused while we waited for it: that is our answer too. Refused before we came: the key is free, we try ourselves.
        State::Refused(reason) if same_meaning && patience.waited && record.updated_at >= patience.asked_at => {
            Judgement::Settled(Outcome::Refused(reason))
        }
        State::Refused(_) => Judgement::Free,
        State::Processing { lease_until } if lease_until < now => Judgement::Free,
        // Also for another meaning: before an acceptance nobody is told that the key was reused.
        State::Processing { .. } => Judgement::Running,
    }
}

enum Claimed {
    Mine,
    Running,
    Settled(Outcome),
}

enum Worked {
    Ended(Outcome),
    FenceLost,
}

enum Transacted {
    Committed,
    FenceLost,
    Applied(Applied),
}

/// How long a duplicate still waits, and for what.
struct Patience {
    interest: Interest,
    asked_at: Milliseconds,
    waited: bool,
    give_up: Instant,
    poll: Duration,
}

impl Patience {
    fn new(interest: Interest, asked_at: Milliseconds, durations: &Durations) -> Self {
        let give_up = Instant::now() + durations.duplicate_wait;
        Self {
            interest,
            asked_at,
            waited: false,
            give_up,
            poll: durations.duplicate_poll,
        }
    }

    /// Waits to be woken, one poll at most. False when patience is over.
    async fn wait(&mut self) -> bool {
        let left = self.give_up.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        self.waited = true;
        self.interest.wait(left.min(self.poll)).await;
        true
    }

    /// Waits to be woken until patience is over. False when nobody woke us.
    async fn wait_to_the_end(&mut self) -> bool {
        self.waited = true;
        self.interest
            .wait(self.give_up.saturating_duration_since(Instant::now()))
            .await
    }
}
