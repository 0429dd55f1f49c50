//! Read cache of states and timelines. A cached answer stays valid until the log has a newer event of its aggregate.

use std::collections::HashMap;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use daybook_domain::Key;
use daybook_log::{Log, Position, Shard};
use lru::LruCache;
use uuid::Uuid;

/// Maximum number of cached answers: about 20 MB of states or timelines.
const MAX_ENTRIES: NonZeroUsize = NonZeroUsize::new(1 << 14).unwrap();

/// Cache of values `V` by aggregates `K`. A value must be a function of the aggregate's own events.
#[derive(Debug)]
pub(crate) struct ReadCache<K: Eq + Hash, V>(Mutex<LruCache<K, CachedAnswer<V>>>);

/// A value that was read when the log ended at `as_of` or later.
#[derive(Debug)]
struct CachedAnswer<V> {
    value: V,
    as_of: Position,
}

impl<K: Eq + Hash, V> Default for ReadCache<K, V> {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MAX_ENTRIES)))
    }
}

impl<K: Copy + Eq + Hash + Into<Key>, V: Clone> ReadCache<K, V> {
    /// Returns the values of those `keys` that did not change up to `head`, and the other keys.
    pub(crate) fn find(
        &self,
        log: &dyn Log,
        shard: Shard,
        head: Position,
        keys: &[K],
    ) -> (HashMap<K, V>, Vec<K>) {
        let mut answers = self.answers();
        let known = keys.iter().map(|key| answers.peek(key).map_or(Position::MAX, |answer| answer.as_of));
        let streams: Vec<_> = keys.iter().map(|key| stream(*key)).zip(known).collect();
        let is_still_so = log.unchanged_since(shard, head, &streams);
        let (mut found, mut missing) = (HashMap::with_capacity(keys.len()), vec![]);
        for (key, is_still_so) in keys.iter().copied().zip(is_still_so) {
            match answers.get_mut(&key).filter(|_| is_still_so) {
                Some(answer) => {
                    answer.as_of = answer.as_of.max(head);
                    found.insert(key, answer.value.clone());
                }
                None => missing.push(key),
            }
        }
        (found, missing)
    }

    /// Caches values that were read after the log ended at `head`.
    pub(crate) fn keep<'a>(&self, head: Position, read: impl Iterator<Item = (&'a K, &'a V)>)
    where
        K: 'a,
        V: 'a,
    {
        let mut answers = self.answers();
        for (key, value) in read {
            if answers.peek(key).is_none_or(|known| known.as_of <= head) {
                answers.put(*key, CachedAnswer { value: value.clone(), as_of: head });
            }
        }
    }

    fn answers(&self) -> MutexGuard<'_, LruCache<K, CachedAnswer<V>>> {
        // No code under this lock can panic and leave an inconsistent state.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stream(key: impl Into<Key>) -> Uuid {
    Uuid::from_u128(key.into().id)
}
