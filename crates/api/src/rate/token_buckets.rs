//! Table of counters with a bounded number of keys.

use std::hash::{BuildHasher, Hash, RandomState};
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lru::LruCache;

use super::RateLimit;

/// Maximum number of keys; the least recently used one is dropped. Each takes about 64 bytes.
pub(super) const MAX_ENTRIES: NonZeroUsize = NonZeroUsize::new(65_536).unwrap();

/// Time to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RetryAfter(pub(super) Duration);

/// Rate limiter per key. It stores keyed hashes of the keys, so that callers cannot cause collisions and each entry has
/// the same size.
#[derive(Debug)]
pub(super) struct TokenBuckets {
    limit: RateLimit,
    hasher: RandomState,
    /// Time until which each key has used up its limit.
    used: Mutex<LruCache<u64, Duration>>,
}

impl TokenBuckets {
    pub(super) fn new(limit: RateLimit) -> Self {
        Self { limit, hasher: RandomState::new(), used: Mutex::new(LruCache::new(MAX_ENTRIES)) }
    }

    /// Counts one call at `now`; fails if the limit is used up.
    pub(super) fn take(&self, key: impl Hash, now: Duration) -> Result<(), RetryAfter> {
        self.look(key, now, true)
    }

    /// Checks at `now` that the limit is not used up, without counting.
    pub(super) fn check(&self, key: impl Hash, now: Duration) -> Result<(), RetryAfter> {
        self.look(key, now, false)
    }

    fn look(&self, key: impl Hash, now: Duration, takes: bool) -> Result<(), RetryAfter> {
        if self.limit.is_free() {
            return Ok(());
        }
        let key = self.hasher.hash_one(key);
        let mut table = self.table();
        let used = table.get(&key).copied().unwrap_or_default();
        let wait = self.limit.wait(used, now);
        if !wait.is_zero() {
            return Err(RetryAfter(wait));
        }
        if takes {
            table.put(key, self.limit.use_up(used, now));
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
        let meter = TokenBuckets::new(RateLimit::new(2, SECOND));
        let took = |key: &str, now| meter.take(key, now).is_ok();
        assert_eq!([took("a", SECOND), took("a", SECOND), took("a", SECOND)], [true, true, false]);
        assert!(took("b", SECOND));
        assert!(took("a", 2 * SECOND));
    }

    #[test]
    fn meter_keeps_a_bounded_number_of_keys() {
        let meter = TokenBuckets::new(RateLimit::new(1, SECOND));
        for key in 0..3 * MAX_ENTRIES.get() {
            assert!(meter.take(key, SECOND).is_ok());
        }
        assert_eq!(meter.table().len(), MAX_ENTRIES.get());
    }

    #[test]
    fn unlimited_meter_records_nothing() {
        let meter = TokenBuckets::new(RateLimit::default());
        assert!((0..1000).all(|_| meter.take(1, SECOND).is_ok()) && meter.table().is_empty());
    }
}
