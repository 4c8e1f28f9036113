//! The use cases around money.
//!
//! Begin a payment ([`start`]), take what a channel says ([`callback`]), let it count once ([`settle`]),
//! ask money back ([`refund`]), drive on what a crash or a lost answer left behind ([`drive`], [`sweep`]).
//!
//! Whatever a channel says, by a callback or when asked, goes the same way: the checks of [`callback`], then [`settle`] through the
//! executor, so that one fact has one effect however often and by whichever way it is told.

pub mod anomalies;
pub mod callback;
pub mod drive;
pub mod parked;
pub mod read;
pub mod refund;
pub mod requests;
pub mod rows;
pub mod settle;
pub mod start;
pub mod sweep;

use crate::{
    channels::{ChannelId, Channels},
    clock::Milliseconds,
    db::Database,
    durations::Durations,
    idempotency::Executor,
};
use std::sync::Arc;
use tokio::sync::Notify;

/// What the use cases work with.
#[derive(Clone, Debug)]
pub struct Payments {
    /// Runs the steps.
    pub executor: Arc<Executor>,
    /// The payment channels that are open.
    pub channels: Channels,
    /// Wakes the sweep and the relay when there is something to do.
    pub work: Arc<Notify>,
}

impl Payments {
    /// The database.
    pub fn database(&self) -> &Database {
        &self.executor.database
    }

    /// The durations.
    pub fn durations(&self) -> &Durations {
        &self.executor.durations
    }

    /// Now.
    pub fn now(&self) -> Milliseconds {
        self.executor.clock.now()
    }
}

/// The letter that a channel has in a payment's number.
pub fn letter(channel: ChannelId) -> char {
    match channel {
        ChannelId::Wechat => 'W',
        ChannelId::Alipay => 'A',
        ChannelId::Webhook => 'S',
    }
}

/// The name of a transaction in an order's row: numbers of different channels never mix.
pub fn transaction_name(channel: ChannelId, transaction_id: &str) -> String {
    format!("{channel}:{transaction_id}")
}
