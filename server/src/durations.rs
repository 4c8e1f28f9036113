//! Every duration that the shop's promises depend on, in one place, with the inequalities between them checked at start.

use app::wire::CLIENT_TIMEOUT_MILLISECONDS;
use std::time::Duration;

/// Durations of the idempotent write and of the order. See [`Durations::check`] for how they must relate.
#[derive(Clone, Copy, Debug)]
pub struct Durations {
    /// Longest time to wait for a database connection; none in time is `503`.
    pub connection_wait: Duration,
    /// Longest time that the database works on one statement.
    pub statement_timeout: Duration,
    /// Longest time that a take-over waits for the row lock of whoever is just finishing.
    pub take_over_lock_timeout: Duration,
    /// Longest time for the work behind a claim: the plan and the transaction, up to its commit.
    pub call_timeout: Duration,
    /// How long a claim may stay unfinished before another request may take it over.
    pub lease: Duration,
    /// How long a duplicate waits for the first request's result before it is told `409`.
    pub duplicate_wait: Duration,
    /// How long a duplicate sleeps at most without being woken before it looks again.
    pub duplicate_poll: Duration,
    /// Longest time that the server works on one HTTP request.
    pub request_timeout: Duration,
    /// Time-out of our own page's `fetch`, stated here because it must outlast [`Self::request_timeout`].
    pub client_timeout: Duration,
    /// Longest time for one answer of Redis.
    pub gate_timeout: Duration,
    /// How long Redis is left alone after it failed once.
    pub gate_pause: Duration,
    /// Life of a gate in Redis that nobody released.
    pub gate_life: Duration,
    /// Life of a result in Redis.
    pub result_life: Duration,
    /// Age after which a submit token allows no first claim.
    pub token_life: Duration,
    /// How long an idempotent record is kept after the last moment at which its key could be claimed.
    pub record_life: Duration,
    /// How long the most patient automatic client retries.
    pub retry_window: Duration,
    /// Time to pay an order. The channels get it as their own expiry.
    pub payment_deadline: Duration,
    /// How long after the deadline an unpaid order is closed here: room for money that was just on its way.
    pub close_delay: Duration,
    /// How long an order whose channel cannot be asked is kept open past that.
    pub close_patience: Duration,
    /// Longest time for one answer of a payment channel.
    pub channel_timeout: Duration,
    /// Longest time for a callback, from its first byte to the answer. The providers count one after 5 s as none.
    pub callback_timeout: Duration,
    /// How long a verified notification of an unknown order is answered with a failure, so that it comes again, before it is
    /// acknowledged and left to a person.
    pub unknown_order_patience: Duration,
    /// How soon after it was begun a payment or refund is first asked about; each further question waits twice as long.
    pub first_question: Duration,
    /// Longest wait between two questions.
    pub last_question: Duration,
    /// How often the sweeps look for work when nobody wakes them.
    pub sweep: Duration,
    /// How long a delivery that was handed over is left alone before it is handed over again.
    pub delivery_lease: Duration,
    /// How long a stopping server waits for the work in hand.
    pub shutdown_grace: Duration,
}

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

impl Default for Durations {
    fn default() -> Self {
        Self {
            connection_wait: Duration::from_secs(2),
            statement_timeout: Duration::from_secs(3),
            take_over_lock_timeout: Duration::from_millis(200),
            call_timeout: Duration::from_secs(5),
            lease: Duration::from_secs(6),
            duplicate_wait: Duration::from_secs(2),
            duplicate_poll: Duration::from_millis(500),
            request_timeout: Duration::from_secs(9),
            client_timeout: Duration::from_millis(CLIENT_TIMEOUT_MILLISECONDS.unsigned_abs().into()),
            gate_timeout: Duration::from_millis(150),
            gate_pause: Duration::from_secs(2),
            gate_life: Duration::from_secs(8),
            result_life: 2 * DAY,
            token_life: DAY,
            record_life: 7 * DAY,
            retry_window: 2 * DAY,
            payment_deadline: 15 * MINUTE,
            close_delay: MINUTE,
            close_patience: 10 * MINUTE,
            channel_timeout: Duration::from_secs(3),
            callback_timeout: Duration::from_millis(4_500),
            unknown_order_patience: 30 * MINUTE,
            first_question: Duration::from_secs(30),
            last_question: HOUR,
            sweep: Duration::from_millis(500),
            delivery_lease: MINUTE,
            shutdown_grace: Duration::from_secs(10),
        }
    }
}

impl Durations {
    /// The inequalities that the design rests on. The message names the one that is broken.
    pub fn check(&self) -> Result<(), &'static str> {
        let rules = [
            (
                self.take_over_lock_timeout < self.statement_timeout,
                "a take-over's lock timeout must be below the statement timeout",
            ),
            (
                self.statement_timeout < self.call_timeout,
                "the statement timeout must be below the call timeout",
            ),
            (
                self.call_timeout < self.lease,
                "the call timeout must be below the lease, or a slow claim would be taken over at work",
            ),
            (
                self.lease <= self.gate_life,
                "the gate must live at least as long as the lease",
            ),
            (
                self.duplicate_poll < self.duplicate_wait,
                "a duplicate must look again before it gives up",
            ),
            (
                self.connection_wait + self.duplicate_wait + self.call_timeout <= self.request_timeout,
                "the request timeout must cover the wait for a connection, the wait of a duplicate and the call",
            ),
            (
                self.request_timeout < self.client_timeout,
                "the client must be more patient than the server",
            ),
            (
                self.record_life >= self.retry_window + self.token_life,
                "a record must outlive the retry window plus the token's life",
            ),
            (
                self.result_life <= self.record_life,
                "Redis must not remember longer than the database",
            ),
            (
                self.payment_deadline >= Duration::from_secs(1) && self.payment_deadline < DAY,
                "the payment deadline must be at least a second and below a day",
            ),
            (
                self.close_delay < DAY,
                "the delay between the payment deadline and the closing must be below a day",
            ),
            (
                self.channel_timeout < self.call_timeout,
                "a payment channel's time must be below the call timeout, or no time is left to store its answer",
            ),
            (
                self.callback_timeout < Duration::from_secs(5),
                "a callback must be answered within the 5 seconds that the providers allow",
            ),
            (
                4 * self.channel_timeout < self.delivery_lease,
                "a delivery's lease must cover its questions to the channels",
            ),
        ];
        match rules.iter().find(|(holds, _)| !holds) {
            Some((_, broken)) => Err(broken),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_durations_keep_every_inequality() {
        assert_eq!(Durations::default().check(), Ok(()));
    }

    #[test]
    fn a_lease_shorter_than_the_call_is_refused() {
        let durations = Durations {
            lease: Duration::from_secs(1),
            ..Durations::default()
        };
        assert!(durations.check().unwrap_err().contains("lease"));
    }
}
