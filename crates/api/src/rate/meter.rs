//! Table of counters with a bounded number of keys.

use std::hash::{BuildHasher, Hash, RandomState};
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lru::LruCache;

use super::Pace;

/// Maximum number of keys; the least recently used one is dropped. Each takes about 64 bytes.
pub(super) const ROOM: NonZeroUsize = NonZeroUsize::new(65_536).unwrap();

/// Time to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wait(pub(super) Duration);

/// Rate limiter per key. It stores keyed hashes of the keys, so that callers cannot cause collisions and each entry has
/// the same size.
#[derive(Debug)]
pub(super) struct Meter {
    pace: Pace,
    hasher: RandomState,
    /// Time until which each key has used up its limit.
    used: Mutex<LruCache<u64, Duration>>,
}

impl Meter {
    pub(super) fn new(pace: Pace) -> Self {
        Self { pace, hasher: RandomState::new(), used: Mutex::new(LruCache::new(ROOM)) }
    }

    /// Counts one call at `now`; fails if the limit is used up.
    pub(super) fn take(&self, key: impl Hash, now: Duration) -> Result<(), Wait> {
        self.look(key, now, true)
    }

    /// Checks at `now` that the limit is not used up, without counting.
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

    /// A panic in another thread leaves complete entries behind.
    fn table(&self) -> MutexGuard<'_, LruCache<u64, Duration>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn each_key_has_its_own_limit() {
        let meter = Meter::new(Pace::new(2, SECOND));
        let took = |key: &str, now| meter.take(key, now).is_ok();
        assert_eq!([took("a", SECOND), took("a", SECOND), took("a", SECOND)], [true, true, false]);
        assert!(took("b", SECOND));
        assert!(took("a", 2 * SECOND));
    }

    #[test]
    fn meter_keeps_a_bounded_number_of_keys() {
        let meter = Meter::new(Pace::new(1, SECOND));
        for key in 0..3 * ROOM.get() {
            assert!(meter.take(key, SECOND).is_ok());
        }
        assert_eq!(meter.table().len(), ROOM.get());
    }

    #[test]
    fn unlimited_meter_records_nothing() {
        let meter = Meter::new(Pace::default());
        assert!((0..1000).all(|_| meter.take(1, SECOND).is_ok()) && meter.table().is_empty());
    }
}
