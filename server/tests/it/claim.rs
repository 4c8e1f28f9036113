//! The claim itself: of many who claim, take over or complete one key at the same moment, exactly one does.

use crate::support::{
    on_both_databases,
    shop::{Backend, Place},
};
use futures::future::join_all;
use server::{
    db::Database,
    idempotency::{
        Answer, Digest, ScopedKey,
        record::{self, Bid, Claim, Claiming, State},
    },
};
use std::{sync::Arc, time::Duration};
use tokio::sync::Barrier;

on_both_databases!(
    of_many_claims_at_once_exactly_one_wins,
    of_many_take_overs_at_once_exactly_one_wins,
    only_the_claim_that_holds_the_key_completes_it,
    a_claim_within_its_lease_is_not_taken_over,
);

const NOW: i64 = 1_000_000;
const LEASE: i64 = 6_000;
const CLAIMANTS: usize = 8;

struct Claimant {
    database: Database,
    key: ScopedKey,
    digest: Digest,
    claim: Claim,
}

impl Claimant {
    fn new(database: &Database, key: &str) -> Self {
        Self {
            database: database.clone(),
            key: ScopedKey::new("test", "somebody", key),
            digest: Digest::of("test", &key).unwrap(),
            claim: Claim {
                id: uuid::Uuid::new_v4().to_string(),
            },
        }
    }

    fn bid(&self, now: i64) -> Bid<'_> {
        Bid {
            key: &self.key,
            digest: &self.digest,
            claim: &self.claim,
            now,
            lease_until: now + LEASE,
        }
    }

    async fn insert(&self, now: i64) -> Claiming {
        let mut connection = self.database.writer().await.unwrap();
        let dialect = self.database.dialect;
        record::insert(&mut connection, dialect, self.bid(now), Duration::from_secs(1))
            .await
            .unwrap()
    }

    async fn take_over(&self, now: i64) -> Claiming {
        let mut connection = self.database.writer().await.unwrap();
        let dialect = self.database.dialect;
        record::take_over(&mut connection, dialect, self.bid(now), Duration::from_secs(1))
            .await
            .unwrap()
    }

    async fn complete(&self) -> bool {
        let mut connection = self.database.writer().await.unwrap();
        record::fence(&mut connection, &self.key, &self.claim, &answer(201), NOW)
            .await
            .unwrap()
    }

    async fn refuse(&self) -> bool {
        let mut connection = self.database.writer().await.unwrap();
        record::refuse(&mut connection, &self.key, &self.claim, &answer(409), NOW)
            .await
            .unwrap()
    }

    async fn state(&self) -> State {
        let mut connection = self.database.writer().await.unwrap();
        record::read(&mut connection, &self.key)
            .await
            .unwrap()
            .expect("a record")
            .state
    }
}

fn answer(status: u16) -> Answer {
    Answer::new(status, &[], "{}".to_owned())
}

/// Lets many act on one key at the same moment and counts who won.
async fn race(claimants: Vec<Claimant>, act: impl AsyncFn(&Claimant) -> Claiming) -> usize {
    let barrier = Arc::new(Barrier::new(claimants.len()));
    let results = join_all(claimants.iter().map(|claimant| {
        let barrier = Arc::clone(&barrier);
        let act = &act;
        async move {
            barrier.wait().await;
            act(claimant).await
        }
    }))
    .await;
    results.iter().filter(|result| **result == Claiming::Won).count()
}

fn claimants(database: &Database, key: &str) -> Vec<Claimant> {
    (0..CLAIMANTS).map(|_| Claimant::new(database, key)).collect()
}

async fn of_many_claims_at_once_exactly_one_wins(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    for round in 0..50 {
        let racing = claimants(&shop.running.executor.database, &format!("claim-{round}"));
        assert_eq!(
            race(racing, async |claimant| claimant.insert(NOW).await).await,
            1,
            "round {round}"
        );
    }
}

async fn of_many_take_overs_at_once_exactly_one_wins(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let database = &shop.running.executor.database;
    for round in 0..20 {
        let key = format!("over-{round}");
        assert_eq!(Claimant::new(database, &key).insert(NOW).await, Claiming::Won);
        let late = NOW + LEASE + 1;
        let racing = claimants(database, &key);
        assert_eq!(
            race(racing, async |claimant| claimant.take_over(late).await).await,
            1,
            "round {round}"
        );
    }
}

async fn only_the_claim_that_holds_the_key_completes_it(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let database = &shop.running.executor.database;
    let (first, second) = (Claimant::new(database, "fence"), Claimant::new(database, "fence"));
    assert_eq!(first.insert(NOW).await, Claiming::Won);
    assert_eq!(second.insert(NOW).await, Claiming::Lost);
    assert!(!second.complete().await && !second.refuse().await);
    assert_eq!(second.take_over(NOW + LEASE + 1).await, Claiming::Won);
    assert!(!first.complete().await && !first.refuse().await);
    assert!(second.complete().await);
    assert_eq!(second.state().await, State::Done(answer(201)));
    // Done is done: nobody completes, refuses or takes it over any more.
    assert!(!second.complete().await && !second.refuse().await);
    assert_eq!(first.take_over(NOW + 100 * LEASE).await, Claiming::Lost);
}

async fn a_claim_within_its_lease_is_not_taken_over(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let database = &shop.running.executor.database;
    let (first, second) = (Claimant::new(database, "lease"), Claimant::new(database, "lease"));
    assert_eq!(first.insert(NOW).await, Claiming::Won);
    assert_eq!(second.take_over(NOW + LEASE).await, Claiming::Lost);
    assert!(first.refuse().await);
    // A refusal frees the key at once.
    assert_eq!(second.take_over(NOW).await, Claiming::Won);
}
