//! The gate: Redis in front of the database. It sheds duplicates early and remembers recent results; it never decides anything.
//! Silence, a gate that is set and a result of another meaning all lead on to the claim in the database, which has the last word.
//! Only the result of the very same request is answered from here, and such a result is written after its commit, once, for good.

use super::{Answer, Digest, ScopedKey, Waiters};
use crate::durations::Durations;
use futures::StreamExt as _;
use redis::{Client, RedisError, Script, aio::ConnectionManager, aio::ConnectionManagerConfig};
use serde::{Deserialize, Serialize};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

/// Reads the result, or sets the gate: one round trip, and no gate is set in vain.
const ENTER: &str = "
local result = redis.call('GET', KEYS[1])
if result then return {'finished', result} end
if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then return {'gained', ''} end
return {'busy', ''}";

/// Writes the result through, releases the gate if it is still ours, and wakes the waiters of every server.
const LEAVE: &str = "
if ARGV[2] ~= '' then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
redis.call('PUBLISH', KEYS[3], ARGV[4])
return 1";

/// What the gate says.
#[derive(Debug)]
pub enum GateReply {
    /// There is a result; the digest says of which request.
    Finished {
        /// Whether it is the result of a request that means the same.
        same_meaning: bool,
        /// The result.
        answer: Answer,
    },
    /// Nobody is known to work on the key: go on.
    Open,
    /// Somebody seems to be working on the key: wait a little, then ask the database.
    Busy,
}

/// The gate in front of the database, or none.
#[derive(Clone, Debug)]
pub struct Gate {
    redis: Option<Arc<RedisGate>>,
}

#[derive(Debug)]
struct RedisGate {
    client: Client,
    connection: ConnectionManager,
    breaker: Breaker,
    prefix: String,
    enter: Script,
    leave: Script,
    timeout: Duration,
    gate_life: Duration,
    result_life: Duration,
}

#[derive(Serialize, Deserialize)]
struct StoredResult {
    digest: Vec<u8>,
    answer: Answer,
}

impl Gate {
    /// No gate: every request goes straight to the database.
    pub fn none() -> Self {
        Self { redis: None }
    }

    /// A gate in the Redis of that URL. The epoch names the database's incarnation: results of another one are never seen.
    /// Redis need not be there now, or ever.
    pub fn connect(url: &str, epoch: &str, durations: &Durations) -> Result<Self, RedisError> {
        let client = Client::open(url)?;
        let settings = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(durations.gate_timeout))
            .set_response_timeout(Some(durations.gate_timeout))
            .set_number_of_retries(1)
            .set_max_delay(durations.gate_pause);
        let connection = ConnectionManager::new_lazy_with_config(client.clone(), settings)?;
        Ok(Self {
            redis: Some(Arc::new(RedisGate {
                client,
                connection,
                breaker: Breaker::new(durations.gate_pause),
                prefix: format!("oncemart:{epoch}"),
                enter: Script::new(ENTER),
                leave: Script::new(LEAVE),
                timeout: durations.gate_timeout,
                gate_life: durations.gate_life,
                result_life: durations.result_life,
            })),
        })
    }

    /// Asks for the result and tries to set the gate. Silence, an error or a pause of the breaker all mean "go on".
    pub async fn enter(&self, key: &ScopedKey, digest: &Digest, claim_id: &str) -> GateReply {
        let Some(gate) = &self.redis else {
            return GateReply::Open;
        };
        let mut enter = gate.enter.prepare_invoke();
        enter
            .key(gate.result_key(key))
            .key(gate.gate_key(key))
            .arg(claim_id)
            .arg(whole_milliseconds(gate.gate_life));
        let mut connection = gate.connection.clone();
        let reply: Option<(String, String)> = gate.guarded(enter.invoke_async(&mut connection)).await;
        match reply.as_ref().map(|(word, result)| (word.as_str(), result)) {
            Some(("finished", result)) => match serde_json::from_str::<StoredResult>(result) {
                Ok(stored) => GateReply::Finished {
                    same_meaning: stored.digest == digest.as_bytes(),
                    answer: stored.answer,
                },
                Err(_) => GateReply::Open,
            },
            Some(("busy", _)) => GateReply::Busy,
            _ => GateReply::Open,
        }
    }

    /// Writes an accepted result through (none for any other end), releases our gate and wakes the other servers' waiters.
    pub async fn leave(&self, key: &ScopedKey, digest: &Digest, claim_id: &str, accepted: Option<&Answer>) {
        let Some(gate) = &self.redis else { return };
        let result = accepted.and_then(|answer| {
            serde_json::to_string(&StoredResult {
                digest: digest.as_bytes().to_vec(),
                answer: answer.clone(),
            })
            .ok()
        });
        let mut leave = gate.leave.prepare_invoke();
        leave
            .key(gate.result_key(key))
            .key(gate.gate_key(key))
            .key(gate.channel())
            .arg(claim_id)
            .arg(result.unwrap_or_default())
            .arg(whole_milliseconds(gate.result_life))
            .arg(key.as_text());
        let mut connection = gate.connection.clone();
        let _: Option<i64> = gate.guarded(leave.invoke_async(&mut connection)).await;
    }

    /// Whether Redis answers now; none if there is no gate.
    pub async fn is_up(&self) -> Option<bool> {
        let gate = self.redis.as_ref()?;
        let mut connection = gate.connection.clone();
        let ping = async { redis::cmd("PING").query_async::<String>(&mut connection).await };
        Some(matches!(tokio::time::timeout(gate.timeout, ping).await, Ok(Ok(_))))
    }

    /// Listens for what other servers finished and wakes the waiters here, until told to stop. A missed word costs a waiter one
    /// poll, nothing else.
    pub async fn wake_on_messages(&self, waiters: Waiters, stop: CancellationToken) {
        let Some(gate) = &self.redis else { return };
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => {}
                _ = gate.listen(&waiters) => {
                    tokio::select! { () = stop.cancelled() => {}, () = tokio::time::sleep(gate.breaker.pause) => {} }
                }
            }
        }
    }
}

impl RedisGate {
    fn result_key(&self, key: &ScopedKey) -> String {
        format!("{}:result:{}", self.prefix, key.as_text())
    }

    fn gate_key(&self, key: &ScopedKey) -> String {
        format!("{}:gate:{}", self.prefix, key.as_text())
    }

    fn channel(&self) -> String {
        format!("{}:finished", self.prefix)
    }

    /// Runs a command unless the breaker is open; a failure or a silence opens it.
    async fn guarded<T>(&self, command: impl Future<Output = Result<T, RedisError>>) -> Option<T> {
        if !self.breaker.lets_through() {
            return None;
        }
        match tokio::time::timeout(self.timeout, command).await {
            Ok(Ok(reply)) => {
                self.breaker.close();
                Some(reply)
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "Redis failed; the database decides alone for a while");
                self.breaker.open();
                None
            }
            Err(_) => {
                tracing::warn!("Redis is silent; the database decides alone for a while");
                self.breaker.open();
                None
            }
        }
    }

    async fn listen(&self, waiters: &Waiters) -> Result<(), RedisError> {
        let mut subscription = self.client.get_async_pubsub().await?;
        subscription.subscribe(self.channel()).await?;
        let mut messages = subscription.on_message();
        while let Some(message) = messages.next().await {
            waiters.wake(&message.get_payload::<String>()?);
        }
        Ok(())
    }
}

/// Keeps requests from paying a timeout each: after a failure Redis is skipped for a while, then one request tries it again.
#[derive(Debug)]
struct Breaker {
    started: Instant,
    /// Milliseconds since `started` until which Redis is skipped; 0 while it works.
    open_until: AtomicU64,
    pause: Duration,
}

impl Breaker {
    fn new(pause: Duration) -> Self {
        Self {
            started: Instant::now(),
            open_until: AtomicU64::new(0),
            pause,
        }
    }

    fn lets_through(&self) -> bool {
        let open_until = self.open_until.load(Ordering::Relaxed);
        if open_until == 0 {
            return true;
        }
        let now = whole_milliseconds(self.started.elapsed());
        // Of all who see the pause end, the one whose exchange succeeds tries; it prolongs the pause for the others.
        now >= open_until
            && self
                .open_until
                .compare_exchange(
                    open_until,
                    now + whole_milliseconds(self.pause),
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                )
                .is_ok()
    }

    fn open(&self) {
        self.open_until.store(
            whole_milliseconds(self.started.elapsed() + self.pause).max(1),
            Ordering::Relaxed,
        );
    }

    fn close(&self) {
        self.open_until.store(0, Ordering::Relaxed);
    }
}

fn whole_milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_failure_only_one_request_tries_again() {
        let breaker = Breaker::new(Duration::ZERO);
        assert!(breaker.lets_through());
        breaker.open();
        breaker.open_until.store(1, Ordering::Relaxed);
        while whole_milliseconds(breaker.started.elapsed()) < 1 {
            std::hint::spin_loop();
        }
        let breaker = Breaker {
            pause: Duration::from_secs(60),
            ..breaker
        };
        assert!(breaker.lets_through());
        assert!(!breaker.lets_through());
        breaker.close();
        assert!(breaker.lets_through());
    }
}
