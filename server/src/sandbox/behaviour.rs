//! How the gateway misbehaves when it is asked to, and which notifications each misbehaviour sends.

use super::sign::{Kind, Tamper};
use clap::ValueEnum;
use std::time::Duration;

/// What goes wrong with a payment, on purpose. Chosen on the cashier page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Misbehaviour {
    /// Nothing.
    #[default]
    None,
    /// The first answer of the shop is lost; the notification is sent again.
    LoseAnswer,
    /// The notification is sent twice at the same time.
    TwiceAtOnce,
    /// "Not paid yet" and "closed" arrive after "paid".
    OutOfOrder,
    /// The notification comes a minute later.
    Late,
    /// The notification states another amount.
    WrongAmount,
    /// The notification states another currency.
    WrongCurrency,
    /// The notification is another merchant's.
    WrongMerchant,
    /// The first notification's signature does not fit.
    BadSignature,
    /// The first notification was signed long ago.
    OldTimestamp,
    /// The first notification is a signature probe.
    Probe,
    /// The whole schedule is sent, acknowledged or not.
    FullSchedule,
    /// Nobody tells the shop; it must ask.
    Silent,
    /// Refunds of the payment are refused when they are asked for.
    RefuseRefunds,
    /// Refunds of the payment are accepted and fail afterwards.
    FailRefunds,
}

/// One notification to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What it says.
    pub kind: Kind,
    /// How long to wait before the first attempt; scaled like the gaps.
    pub delay: Duration,
    /// What is wrong with it.
    pub tamper: Tamper,
    /// How many attempts are wrong, from the first on.
    pub tampered_attempts: i64,
    /// How many copies the first attempt sends at once.
    pub copies: i64,
    /// How many answers are lost, from the first on.
    pub answers_lost: i64,
    /// Whether the schedule goes on after an acknowledgement.
    pub full_schedule: bool,
}

impl Plan {
    /// A notification with which nothing is wrong.
    pub fn plain(kind: Kind) -> Self {
        Self {
            kind,
            delay: Duration::ZERO,
            tamper: Tamper::None,
            tampered_attempts: 0,
            copies: 1,
            answers_lost: 0,
            full_schedule: false,
        }
    }

    fn after(kind: Kind, seconds: u64) -> Self {
        Self {
            delay: Duration::from_secs(seconds),
            ..Self::plain(kind)
        }
    }
}

impl Misbehaviour {
    /// The notifications of a payment that was just paid.
    pub fn plan(self) -> Vec<Plan> {
        let paid = Plan::plain(Kind::Paid);
        // Wrong content stays wrong; a wrong envelope is put right by the next attempt, as a provider's would be.
        let wrong = |tamper, tampered_attempts| {
            vec![Plan {
                tamper,
                tampered_attempts,
                ..paid
            }]
        };
        match self {
            Self::None | Self::RefuseRefunds | Self::FailRefunds => vec![paid],
            Self::LoseAnswer => vec![Plan {
                answers_lost: 1,
                ..paid
            }],
            Self::TwiceAtOnce => vec![Plan { copies: 2, ..paid }],
            Self::OutOfOrder => vec![paid, Plan::after(Kind::Pending, 2), Plan::after(Kind::Closed, 4)],
            Self::Late => vec![Plan::after(Kind::Paid, 60)],
            Self::WrongAmount => wrong(Tamper::Amount, i64::MAX),
            Self::WrongCurrency => wrong(Tamper::Currency, i64::MAX),
            Self::WrongMerchant => wrong(Tamper::Merchant, i64::MAX),
            Self::BadSignature => wrong(Tamper::Signature, 1),
            Self::OldTimestamp => wrong(Tamper::Timestamp, 1),
            Self::Probe => wrong(Tamper::Probe, 1),
            Self::FullSchedule => vec![Plan {
                full_schedule: true,
                ..paid
            }],
            Self::Silent => Vec::new(),
        }
    }
}
