//! A cache of states and timelines: each is answered again for as long as the log knows that nothing happened to it since.

use std::collections::HashMap;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use daybook_domain::Key;
use daybook_log::{Log, Position, Shard};
use lru::LruCache;
use uuid::Uuid;

/// How many are remembered: some 20 MB of states or timelines.
const MOST: NonZeroUsize = NonZeroUsize::new(1 << 14).unwrap();

/// Answers about aggregates `K`, each a `V` that follows from the aggregate's own events.
#[derive(Debug)]
pub(crate) struct Cache<K: Eq + Hash, V>(Mutex<LruCache<K, Answer<V>>>);

/// What was read when the log ended at `as_of`, or later.
#[derive(Debug)]
struct Answer<V> {
    value: V,
    as_of: Position,
}

impl<K: Eq + Hash, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MOST)))
    }
}

impl<K: Copy + Eq + Hash + Into<Key>, V: Clone> Cache<K, V> {
    /// Those of `keys` that are still as they were when the log ends at `head`, and the keys of which that is not known.
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
        let is_still_so = log.untouched(shard, head, &streams);
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

    /// Remembers what was read after the log ended at `head`.
    pub(crate) fn keep<'a>(&self, head: Position, read: impl Iterator<Item = (&'a K, &'a V)>)
    where
        K: 'a,
        V: 'a,
    {
        let mut answers = self.answers();
        for (key, value) in read {
            if answers.peek(key).is_none_or(|known| known.as_of <= head) {
                answers.put(*key, Answer { value: value.clone(), as_of: head });
            }
        }
    }

    fn answers(&self) -> MutexGuard<'_, LruCache<K, Answer<V>>> {
        // Nothing is done under the lock that could panic half way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stream(key: impl Into<Key>) -> Uuid {
    Uuid::from_u128(key.into().id)
}
