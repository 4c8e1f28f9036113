//! The words of the executor: what it is asked to do, at most once, under which key, and what became of it.

use super::{Answer, Digest};
use sha2::{Digest as _, Sha256};
use sqlx::AnyConnection;

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

    /// Joins who and key; when that is too long, its SHA-256 stands for it. `who` has no space in it, so that the first space of
    /// the whole always ends it, and no joined text looks like a hash.
    pub fn new(biz_type: &'static str, who: &str, key: &str) -> Self {
        let joined = format!("{who} {key}");
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

    /// The whole as one text, for Redis and for waiting in this process.
    pub fn as_text(&self) -> String {
        format!("{}:{}", self.biz_type, self.biz_key)
    }
}

/// Whether a key that has no record may be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstClaim {
    /// Yes.
    Allowed,
    /// No: the key is too old for a first claim. What it already stands for is still answered, and a key that was claimed before
    /// and is free again (refused, or left behind by a crash) may be claimed again.
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
///
/// An operation that must ask somebody outside before it knows its answer first writes an intent ([`Self::intend`]), which commits
/// together with the claim, then asks without any connection or transaction in hand ([`Self::ask`]), and goes on like any other. A
/// crash in between leaves the intent, from which the same call can be made again.
pub trait Operation: Send + Sync + 'static {
    /// What the effects will be, worked out before the transaction.
    type Plan: Send + Sync;
    /// What the outside said; `()` for an operation that asks nobody.
    type Reply: Send + Sync;

    /// Whether it asks somebody outside.
    const ASKS_OUTSIDE: bool = false;

    /// Writes what is going to be asked, under a number of its own that a second attempt finds again. Runs in a transaction in
    /// which the claim is known to be ours; only for operations that ask.
    fn intend(&self, _transaction: &mut AnyConnection) -> impl Future<Output = Result<Intended, sqlx::Error>> + Send {
        async { Ok(Intended::Written) }
    }

    /// Asks the outside; who asks nobody has a reply at once. Asking again with the intent's number must be safe: nobody can know whether the last answer was lost.
    fn ask(&self) -> impl Future<Output = Result<Self::Reply, Unanswered>> + Send;

    /// Works out the effects and the answer they deserve, reading without a transaction. What it read may have changed by the
    /// time of [`Self::apply`], whose conditional writes find out.
    fn plan(
        &self,
        connection: &mut AnyConnection,
        reply: &Self::Reply,
    ) -> impl Future<Output = Result<Planned<Self::Plan>, sqlx::Error>> + Send;

    /// Writes the effects inside the business transaction, behind the fence. Every write that depends on something read is
    /// conditional on it.
    fn apply(
        &self,
        transaction: &mut AnyConnection,
        plan: &Self::Plan,
    ) -> impl Future<Output = Result<Applied, sqlx::Error>> + Send;
}

/// What [`Operation::intend`] did.
#[derive(Debug)]
pub enum Intended {
    /// The intent is written, or was there already.
    Written,
    /// It is refused, with this reason.
    Refused(Answer),
}

/// Why [`Operation::ask`] has no reply.
#[derive(Debug)]
pub enum Unanswered {
    /// It is not known whether it was done: try again later with the same number.
    Unknown,
    /// A definite no, with this reason.
    Refused(Answer),
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
