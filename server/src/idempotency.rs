//! The executor: one request, at most one effect, however often it is sent.
//!
//! Every idempotent write goes through the same seven steps. Steps 1 and 2 happen before this file (the key is read, the sender
//! authenticated, the shape checked, the digest computed; nothing is touched before that), step 7 after it (consumers of the
//! outbox). What happens here:
//!
//! 3. Take a database connection, then ask the gate. Duplicates of work in hand wait without holding a connection.
//! 4. Claim the key in a transaction of its own. The primary key decides; nothing is looked up first.
//!    An operation that asks somebody outside writes its intent in a transaction with the claim, lets the connection go, asks, and
//!    goes on: nobody's slowness holds a lock or a connection here.
//! 5. Do the work in one business transaction whose first statement is the fence: "done, with this answer, if the claim is still
//!    mine". A crash before the commit leaves a claim whose lease runs out; a crash after it leaves the answer. There is no state
//!    in between.
//! 6. Answer; then, off the caller's path, tell the gate.
//!
//! The executor knows nothing of shops: an [`Operation`] says what to do and what to answer.

mod answer;
mod digest;
mod gate;
mod operation;
mod patience;
pub mod record;
mod waiters;

pub use answer::Answer;
pub use digest::Digest;
pub use gate::Gate;
pub use operation::{Applied, Call, FirstClaim, Intended, Operation, Outcome, Planned, ScopedKey, Unanswered};
pub use waiters::Waiters;

use crate::{
    clock::{Clock, milliseconds},
    db::{Database, is_retryable, is_unavailable},
    durations::Durations,
    faults::{FaultPoint, Faults},
};
use futures::FutureExt as _;
use gate::GateReply;
use patience::Patience;
use record::{Bid, Claim, Claiming, Record, State};
use sqlx::{Any, AnyConnection, pool::PoolConnection};
use std::{panic::AssertUnwindSafe, sync::Arc};
use tokio_util::task::TaskTracker;

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
        // The connection first: a request that cannot get one must not set a gate for others to wait at.
        let mut connection = self.database.writer().await?;
        match self.gate.enter(&call.key, &call.digest, &claim.id).await {
            // Only an equal meaning is answered from here; every other judgement is the database's.
            GateReply::Finished {
                same_meaning: true,
                answer,
            } => return Ok(Outcome::Done { answer, replayed: true }),
            GateReply::Finished { .. } | GateReply::Open => {}
            GateReply::Busy => {
                // Only a hint: whether woken or not, the database decides next.
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
            let claimed = self.claim(&mut connection, call, claim, patience).await;
            match claimed.inspect_err(|_| self.abandon(call, claim))? {
                Claimed::Settled(outcome) => return Ok(outcome),
                Claimed::Mine => {
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
            let lock_timeout = self.durations.take_over_lock_timeout;
            if first {
                match record::insert(connection, dialect, bid, lock_timeout).await? {
                    Claiming::Won => return Ok(Claimed::Mine),
                    Claiming::Locked => return Ok(Claimed::Running),
                    Claiming::Lost => {}
                }
            }
            let Some(record) = record::read(connection, &call.key).await? else {
                if first {
                    continue; // The row that was in the way has gone since: the INSERT decides again.
                }
                return Ok(Claimed::Settled(Outcome::TooOld));
            };
            return match judge(record, &call.digest, bid, patience) {
                Judgement::Settled(outcome) => Ok(Claimed::Settled(outcome)),
                Judgement::Running => Ok(Claimed::Running),
                Judgement::Free => Ok(match record::take_over(connection, dialect, bid, lock_timeout).await? {
                    Claiming::Won => Claimed::Mine,
                    Claiming::Lost | Claiming::Locked => Claimed::Running,
                }),
            };
        }
    }

    /// Step 5 within the call timeout, which is below the lease. If it does not end well, the claim is given up at once, so that
    /// a retry need not wait for the lease.
    async fn work_in_time<O: Operation>(
        &self,
        connection: PoolConnection<Any>,
        call: &Call<O>,
        claim: &Claim,
    ) -> Result<Worked, sqlx::Error> {
        // A panic leaves nothing half done: the transaction rolls back, and what was planned is dropped.
        let work = AssertUnwindSafe(async {
            self.faults.pass(FaultPoint::AfterClaim).await;
            tokio::time::timeout(self.durations.call_timeout, self.ask_and_work(connection, call, claim)).await
        });
        let worked = match work.catch_unwind().await {
            Ok(Ok(worked)) => worked,
            Ok(Err(_)) => Ok(Worked::Ended(Outcome::Unavailable)),
            Err(_) => Ok(Worked::Ended(Outcome::Broken)),
        };
        if matches!(
            worked,
            Err(_) | Ok(Worked::Ended(Outcome::Unavailable | Outcome::Broken))
        ) {
            self.abandon(call, claim);
        }
        worked
    }

    /// Asks the outside, if the operation must, without a connection in hand; then works.
    async fn ask_and_work<O: Operation>(
        &self,
        mut connection: PoolConnection<Any>,
        call: &Call<O>,
        claim: &Claim,
    ) -> Result<Worked, sqlx::Error> {
        let reply = if O::ASKS_OUTSIDE {
            match self.intend(&mut connection, call, claim).await? {
                None => return Ok(Worked::FenceLost),
                Some(Intended::Refused(reason)) => return self.refuse(&mut connection, call, claim, reason).await,
                Some(Intended::Written) => drop(connection),
            }
            self.faults.pass(FaultPoint::AfterIntent).await;
            let reply = call.operation.ask().await;
            self.faults.pass(FaultPoint::AfterAsking).await;
            connection = self.database.writer().await?;
            reply
        } else {
            call.operation.ask().await
        };
        match reply {
            Ok(reply) => self.work(&mut connection, call, claim, &reply).await,
            Err(Unanswered::Refused(reason)) => self.refuse(&mut connection, call, claim, reason).await,
            Err(Unanswered::Unknown) => Ok(Worked::Ended(Outcome::Unavailable)),
        }
    }

    /// The intent, in a durable transaction that includes the claim. None if the claim is no longer ours.
    async fn intend<O: Operation>(
        &self,
        connection: &mut AnyConnection,
        call: &Call<O>,
        claim: &Claim,
    ) -> Result<Option<Intended>, sqlx::Error> {
        let mut transaction = self.database.begin(connection).await?;
        if !record::hold(&mut transaction, &call.key, claim, self.clock.now()).await? {
            transaction.rollback().await?;
            return Ok(None);
        }
        let intended = call.operation.intend(&mut transaction).await?;
        match intended {
            Intended::Written => transaction.commit().await?,
            Intended::Refused(_) => transaction.rollback().await?,
        }
        Ok(Some(intended))
    }

    /// Gives a claim up off the caller's path, since it may have to wait for the transaction that failed. If that one did commit
    /// after all, the row is done and this changes nothing; if this fails, the lease runs out.
    fn abandon<O>(&self, call: &Call<O>, claim: &Claim) {
        let (database, waiters) = (self.database.clone(), self.waiters.clone());
        let (key, claim) = (call.key.clone(), claim.clone());
        self.tasks.spawn(async move {
            let abandoned = async { record::abandon(&mut *database.writer().await?, &key, &claim).await };
            if let Err(error) = abandoned.await {
                tracing::warn!(%error, "a claim could not be given up; its lease will run out");
            }
            waiters.wake(&key.as_text());
        });
    }

    async fn work<O: Operation>(
        &self,
        connection: &mut AnyConnection,
        call: &Call<O>,
        claim: &Claim,
        reply: &O::Reply,
    ) -> Result<Worked, sqlx::Error> {
        for _ in 0..PLANS {
            let (plan, answer) = match call.operation.plan(connection, reply).await? {
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
                Ok(Transacted::Refused(reason)) => return self.refuse(connection, call, claim, reason).await,
                Ok(Transacted::PlanIsStale) => {}
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
        match call.operation.apply(&mut transaction, plan).await? {
            Applied::Done => {}
            Applied::PlanIsStale => {
                transaction.rollback().await?;
                return Ok(Transacted::PlanIsStale);
            }
            Applied::Refused(reason) => {
                transaction.rollback().await?;
                return Ok(Transacted::Refused(reason));
            }
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

fn judge(record: Record, digest: &Digest, bid: Bid<'_>, patience: &Patience) -> Judgement {
    let same_meaning = record.digest == digest.as_bytes();
    match record.state {
        State::Done(answer) if same_meaning => Judgement::Settled(Outcome::Done { answer, replayed: true }),
        State::Done(answer) => Judgement::Settled(Outcome::KeyReused(answer)),
        // Refused while we waited for it: that is our answer too. Refused before we came: the key is free, we try ourselves.
        State::Refused(reason) if same_meaning && patience.waited && record.updated_at >= patience.asked_at => {
            Judgement::Settled(Outcome::Refused(reason))
        }
        State::Refused(_) => Judgement::Free,
        State::Processing { lease_until } if bid.finds_over(lease_until) => Judgement::Free,
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
    PlanIsStale,
    Refused(Answer),
}
