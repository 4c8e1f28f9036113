//! How long a duplicate waits for the first request's result, and how it sleeps meanwhile.

use super::waiters::Interest;
use crate::{clock::Milliseconds, durations::Durations};
use std::time::{Duration, Instant};

/// How long a duplicate still waits, and for what.
pub struct Patience {
    /// Interest in the key.
    pub interest: Interest,
    /// When the request came.
    pub asked_at: Milliseconds,
    /// Whether it has waited for somebody else's work.
    pub waited: bool,
    give_up: Instant,
    poll: Duration,
}

impl Patience {
    /// Patience as of now.
    pub fn new(interest: Interest, asked_at: Milliseconds, durations: &Durations) -> Self {
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
    pub async fn wait(&mut self) -> bool {
        let left = self.give_up.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        self.waited = true;
        self.interest.wait(left.min(self.poll)).await;
        true
    }

    /// Waits to be woken until patience is over. False when nobody woke us.
    pub async fn wait_to_the_end(&mut self) -> bool {
        self.waited = true;
        self.interest
            .wait(self.give_up.saturating_duration_since(Instant::now()))
            .await
    }
}
