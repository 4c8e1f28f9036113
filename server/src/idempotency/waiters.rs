//! Who works on which key in this process, and who waits for it: duplicates sleep until they are woken instead of polling, and
//! hold no database connection meanwhile.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::watch;

#[derive(Debug)]
struct Slot {
    /// Sends a signal whenever something about the key may have changed.
    signal: watch::Sender<()>,
    /// Whether somebody here is working on the key.
    busy: bool,
    /// How many are interested; with the last of them the slot goes.
    interested: usize,
}

/// The keys in hand.
#[derive(Clone, Debug, Default)]
pub struct Waiters {
    slots: Arc<Mutex<HashMap<String, Slot>>>,
}

impl Waiters {
    /// Registers interest in a key. Done before anything is read about the key, so that no signal falls between the look and the
    /// sleep. The first interested becomes the one who works; the guard says so.
    pub fn register(&self, key: &str) -> Interest {
        let mut slots = self.lock();
        let slot = slots.entry(key.to_owned()).or_insert_with(|| Slot {
            signal: watch::Sender::new(()),
            busy: false,
            interested: 0,
        });
        slot.interested += 1;
        let works = !std::mem::replace(&mut slot.busy, true);
        Interest {
            key: key.to_owned(),
            signal: slot.signal.subscribe(),
            works,
            waiters: self.clone(),
        }
    }

    /// Wakes everyone who waits for a key.
    pub fn wake(&self, key: &str) {
        if let Some(slot) = self.lock().get(key) {
            slot.signal.send_replace(());
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Slot>> {
        // Nothing that holds the lock can leave the map half changed, so a panic elsewhere is no reason to stop.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Interest in a key, for as long as it lives.
#[derive(Debug)]
pub struct Interest {
    key: String,
    signal: watch::Receiver<()>,
    works: bool,
    waiters: Waiters,
}

impl Interest {
    /// Whether this is the one who works on the key; otherwise somebody else in this process does.
    pub fn works(&self) -> bool {
        self.works
    }

    /// Sleeps until woken or until the time is over; says whether it was woken. A signal since the last call wakes at once.
    pub async fn wait(&mut self, at_most: Duration) -> bool {
        tokio::time::timeout(at_most, self.signal.changed()).await.is_ok()
    }
}

impl Drop for Interest {
    fn drop(&mut self) {
        let mut slots = self.waiters.lock();
        let Some(slot) = slots.get_mut(&self.key) else { return };
        if self.works {
            // Also on a panic: whoever waits must look for itself.
            slot.busy = false;
            slot.signal.send_replace(());
        }
        slot.interested -= 1;
        if slot.interested == 0 {
            slots.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_second_waits_until_the_first_is_done() {
        let waiters = Waiters::default();
        let first = waiters.register("k");
        let mut second = waiters.register("k");
        assert!(first.works() && !second.works());
        drop(first);
        assert!(second.wait(Duration::from_secs(60)).await);
    }

    #[tokio::test]
    async fn a_signal_between_registering_and_sleeping_is_not_lost() {
        let waiters = Waiters::default();
        let _first = waiters.register("k");
        let mut second = waiters.register("k");
        waiters.wake("k");
        assert!(second.wait(Duration::from_secs(60)).await);
        assert!(!second.wait(Duration::from_millis(1)).await);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn nothing_is_kept_however_many_leave_at_once() {
        let waiters = Waiters::default();
        for _ in 0..200 {
            let interests: Vec<_> = (0..8).map(|_| waiters.register("k")).collect();
            let leaving = interests
                .into_iter()
                .map(|interest| tokio::spawn(async move { drop(interest) }));
            for left in leaving.collect::<Vec<_>>() {
                left.await.unwrap();
            }
            assert!(waiters.lock().is_empty());
        }
    }

    #[test]
    fn nothing_is_kept_of_a_key_that_nobody_is_interested_in() {
        let waiters = Waiters::default();
        let (first, second) = (waiters.register("k"), waiters.register("k"));
        drop(first);
        drop(second);
        assert!(waiters.lock().is_empty());
        assert!(waiters.register("k").works());
    }
}
