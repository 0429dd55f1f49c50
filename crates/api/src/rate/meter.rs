//! A table of those who are counted, with room for so many.

use std::hash::{BuildHasher, Hash, RandomState};
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lru::LruCache;

use super::Pace;

/// How many are known at a time; who was not heard of for longest is forgotten. 64 bytes each, about.
pub(super) const ROOM: NonZeroUsize = NonZeroUsize::new(65_536).unwrap();

/// How long to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wait(pub(super) Duration);

/// Counts by key. Keys are kept as hashes that nobody outside can choose, so that each has one size.
#[derive(Debug)]
pub(super) struct Meter {
    pace: Pace,
    hasher: RandomState,
    /// Until when each has used up its share.
    used: Mutex<LruCache<u64, Duration>>,
}

impl Meter {
    pub(super) fn new(pace: Pace) -> Self {
        Self { pace, hasher: RandomState::new(), used: Mutex::new(LruCache::new(ROOM)) }
    }

    /// Takes one at `now`, if there is one left.
    pub(super) fn take(&self, key: impl Hash, now: Duration) -> Result<(), Wait> {
        self.look(key, now, true)
    }

    /// Whether there is one left at `now`.
    pub(super) fn check(&self, key: impl Hash, now: Duration) -> Result<(), Wait> {
        self.look(key, now, false)
    }

    fn look(&self, key: impl Hash, now: Duration, takes: bool) -> Result<(), Wait> {
        if self.pace.is_free() {
            return Ok(());
        }
        let key = self.hasher.hash_one(key);
        let mut table = self.table();
        let used = table.get(&key).copied().unwrap_or_default();
        let wait = self.pace.wait(used, now);
        if !wait.is_zero() {
            return Err(Wait(wait));
        }
        if takes {
            table.put(key, self.pace.use_up(used, now));
        }
        Ok(())
    }

    /// A panic elsewhere leaves whole entries behind.
    fn table(&self) -> MutexGuard<'_, LruCache<u64, Duration>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn each_has_a_share_of_its_own() {
        let meter = Meter::new(Pace::new(2, SECOND));
        let took = |key: &str, now| meter.take(key, now).is_ok();
        assert_eq!([took("a", SECOND), took("a", SECOND), took("a", SECOND)], [true, true, false]);
        assert!(took("b", SECOND));
        assert!(took("a", 2 * SECOND));
    }

    #[test]
    fn whoever_makes_many_keys_makes_no_more_room() {
        let meter = Meter::new(Pace::new(1, SECOND));
        for key in 0..3 * ROOM.get() {
            assert!(meter.take(key, SECOND).is_ok());
        }
        assert_eq!(meter.table().len(), ROOM.get());
    }

    #[test]
    fn without_a_pace_nothing_is_kept() {
        let meter = Meter::new(Pace::default());
        assert!((0..1000).all(|_| meter.take(1, SECOND).is_ok()) && meter.table().is_empty());
    }
}
