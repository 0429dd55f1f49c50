//! Cache of the used idempotency keys of one appender. A Bloom filter tells which keys are certainly in no row, so the
//! appender does not look them up. Nearly all keys are new, and a lookup probes an index three times.
//!
//! The filter is valid for one end of the log. A commit of another process moves that end; the filter is then
//! discarded, and the table is read again in the background. The unique index of the table is the second barrier
//! against a key that is used twice.

mod filter;

use std::mem;
use std::time::Duration;

use daybook_pg::{Causes, Pg};
use filter::{Filter, FilterFull};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::rows;
use crate::{Error, Head, Key, KeyUse, Shard};

/// Number of keys that one statement reads.
const PAGE_SIZE: i64 = 5000;
/// Pause after a read of the table, as a multiple of the time that the read took.
const REST_FACTOR: u32 = 9;
/// Pause after a read that failed.
const RETRY_AFTER_FAILURE: Duration = Duration::from_mins(1);
/// Pause after a read that found more keys than fit in the filter.
const RETRY_AFTER_OVERFLOW: Duration = Duration::from_hours(1);

/// Knowledge of one appender about the used keys of its shard.
#[derive(Default)]
pub(super) struct UsedKeys {
    memory: FilterState,
    /// Earliest time of the next read of the table; `None` means immediately.
    rested: Option<Instant>,
}

#[derive(Default)]
enum FilterState {
    #[default]
    Nothing,
    /// The table is being read. The result has every key that was committed before the read began.
    Reading {
        work: JoinSet<Result<Read, Error>>,
        /// Keys that this appender committed since then, each with its time in milliseconds.
        later: Vec<(Key, i64)>,
        end: u64,
    },
    /// The filter has every key of the commits up to `end`.
    All { filter: Filter, end: u64 },
}

/// Result of a read of the table.
pub(super) struct Read {
    filter: Result<Filter, FilterFull>,
    took: Duration,
}

impl UsedKeys {
    /// Returns those of `keys` that have to be looked up. The other keys are in no row, as long as the log ends where
    /// [`UsedKeys::stand`] last found it.
    pub(super) fn may_be_used(&self, keys: &[Key]) -> Vec<Key> {
        match &self.memory {
            FilterState::All { filter, .. } => {
                keys.iter().filter(|key| filter.may_hold(key)).copied().collect()
            }
            FilterState::Nothing | FilterState::Reading { .. } => keys.to_vec(),
        }
    }

    /// Returns true if the filter is valid for a log that ends at `head`, which was read under the lock. If it is not,
    /// `reading` is started, unless the appender is pausing.
    pub(super) fn stand(
        &mut self,
        head: Head,
        reading: impl Future<Output = Result<Read, Error>> + Send + 'static,
    ) -> bool {
        self.memory = match mem::take(&mut self.memory) {
            FilterState::All { filter, end } if end == head.commit_no => FilterState::All { filter, end },
            FilterState::Reading { work, later, end } if end == head.commit_no => self.look(work, later, end),
            _ if self.rested.is_none_or(|at| at <= Instant::now()) => {
                let mut work = JoinSet::new();
                work.spawn(reading);
                FilterState::Reading { work, later: vec![], end: head.commit_no }
            }
            _ => FilterState::Nothing,
        };
        matches!(self.memory, FilterState::All { .. })
    }

    /// Adds the keys of the commit `commit_no`, recorded at `at_ms`. The commit follows the known end.
    pub(super) fn note(&mut self, commit_no: u64, used: &[KeyUse], at_ms: i64) {
        let keys = used.iter().map(|used| used.key);
        match &mut self.memory {
            FilterState::All { filter, end } => {
                *end = commit_no;
                let is_full = keys.into_iter().any(|key| filter.insert(&key, at_ms).is_err());
                if is_full {
                    self.give_up();
                }
            }
            FilterState::Reading { later, end, .. } => {
                *end = commit_no;
                later.extend(keys.map(|key| (key, at_ms)));
            }
            FilterState::Nothing => {}
        }
    }

    /// Discards the filter. An append failed, and the reason may be a used key that was not looked up.
    pub(super) fn forget(&mut self) {
        self.memory = FilterState::Nothing;
    }

    /// Takes the result of the read, if it is finished.
    fn look(
        &mut self,
        mut work: JoinSet<Result<Read, Error>>,
        later: Vec<(Key, i64)>,
        end: u64,
    ) -> FilterState {
        let Some(done) = work.try_join_next() else { return FilterState::Reading { work, later, end } };
        let read = match done {
            Ok(Ok(read)) => read,
            Ok(Err(error)) => return self.fail(&error),
            Err(error) => return self.fail(&error),
        };
        self.rested = Some(Instant::now() + read.took * REST_FACTOR);
        let complete = read.filter.and_then(|mut filter| {
            later.iter().try_for_each(|(key, at_ms)| filter.insert(key, *at_ms))?;
            Ok(filter)
        });
        complete.map_or_else(
            |FilterFull| {
                self.give_up();
                FilterState::Nothing
            },
            |filter| FilterState::All { filter, end },
        )
    }

    fn fail(&mut self, error: &(dyn std::error::Error + 'static)) -> FilterState {
        tracing::warn!(error = %Causes(error), "cannot read the used keys; each key is looked up in the table");
        self.rested = Some(Instant::now() + RETRY_AFTER_FAILURE);
        FilterState::Nothing
    }

    fn give_up(&mut self) {
        tracing::info!(
            "there are more used idempotency keys than fit in memory; each key is looked up in the table"
        );
        *self = Self { memory: FilterState::Nothing, rested: Some(Instant::now() + RETRY_AFTER_OVERFLOW) };
    }
}

/// Reads every key of the shard, page by page.
pub(super) async fn read(pg: Pg, shard: Shard) -> Result<Read, Error> {
    let began = Instant::now();
    let mut filter = Filter::default();
    for slot in 0..3_i16 {
        let mut after: Vec<u8> = vec![];
        loop {
            let client = pg.of(shard).client().await?;
            let statement = client.prepare_cached(include_str!("../sql/list_keys.sql")).await?;
            let page = client.query(&statement, &[&shard, &slot, &after, &PAGE_SIZE]).await?;
            for row in &page {
                let (key, at_ms) = rows::listed_key(row)?;
                if filter.insert(&key, at_ms).is_err() {
                    return Ok(Read { filter: Err(FilterFull), took: began.elapsed() });
                }
            }
            match page.last() {
                Some(last) => after = last.try_get("key")?,
                None => break,
            }
        }
    }
    Ok(Read { filter: Ok(filter), took: began.elapsed() })
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    const KEY: Key = [1; 32];
    const OTHER: Key = [2; 32];

    fn at(commit_no: u64) -> Head {
        Head { commit_no, position: commit_no, recorded_at_ms: 0 }
    }

    fn using(key: Key) -> [KeyUse; 1] {
        [KeyUse { key, fingerprint: [0; 32], object: None }]
    }

    /// Returns a read that finds `keys` in the table.
    fn finds(keys: &[Key]) -> impl Future<Output = Result<Read, Error>> + Send + 'static {
        let mut filter = Filter::default();
        for key in keys {
            filter.insert(key, 0).expect("room");
        }
        ready(Ok(Read { filter: Ok(filter), took: Duration::from_secs(1) }))
    }

    /// Returns the state of an appender that has begun to read `keys` while the log ends at commit 7.
    fn reading(keys: &[Key]) -> UsedKeys {
        let mut used = UsedKeys::default();
        assert!(!used.stand(at(7), finds(keys)), "the read is not finished");
        used
    }

    /// Returns the state of an appender that knows `keys` and that the log ends at commit 7.
    async fn knowing(keys: &[Key]) -> UsedKeys {
        let mut used = reading(keys);
        assert_eq!(used.may_be_used(&[KEY, OTHER]), [KEY, OTHER], "nothing is known yet");
        tokio::task::yield_now().await;
        assert!(used.stand(at(7), pending()), "it was read");
        used
    }

    #[tokio::test]
    async fn unused_keys_are_not_looked_up() {
        assert_eq!(knowing(&[KEY]).await.may_be_used(&[KEY, OTHER]), [KEY]);
    }

    #[tokio::test]
    async fn own_commits_enter_the_filter() {
        let mut used = knowing(&[]).await;
        used.note(8, &using(KEY), 0);
        assert!(used.stand(at(8), pending()));
        assert_eq!(used.may_be_used(&[KEY, OTHER]), [KEY]);
    }

    #[tokio::test]
    async fn own_commits_during_load_enter_the_filter() {
        let mut used = reading(&[]);
        used.note(8, &using(KEY), 0);
        tokio::task::yield_now().await;
        assert!(used.stand(at(8), pending()));
        assert_eq!(used.may_be_used(&[KEY, OTHER]), [KEY]);
    }

    #[tokio::test]
    async fn foreign_commit_discards_filter_until_reload() {
        let mut used = knowing(&[]).await;
        assert!(!used.stand(at(8), finds(&[KEY])));
        assert_eq!(used.may_be_used(&[OTHER]), [OTHER]);
        assert!(used.rested.is_some_and(|at| at > Instant::now() + Duration::from_secs(5)), "it pauses");
        used.rested = None;
        assert!(!used.stand(at(8), finds(&[KEY])), "the read is not finished");
        tokio::task::yield_now().await;
        assert!(used.stand(at(8), pending()));
        assert_eq!(used.may_be_used(&[KEY, OTHER]), [KEY]);
    }

    #[tokio::test]
    async fn foreign_commit_during_load_discards_key_filter() {
        let mut used = reading(&[]);
        tokio::task::yield_now().await;
        assert!(!used.stand(at(8), finds(&[])));
        assert_eq!(used.may_be_used(&[KEY]), [KEY]);
    }

    #[tokio::test]
    async fn failed_load_leaves_every_lookup() {
        let readings: [Result<Read, Error>; 2] =
            [Err(Error::not_locked()), Ok(Read { filter: Err(FilterFull), took: Duration::ZERO })];
        for reading in readings {
            let mut used = UsedKeys::default();
            assert!(!used.stand(at(7), ready(reading)));
            tokio::task::yield_now().await;
            for _ in 0..3 {
                assert!(!used.stand(at(7), finds(&[])), "it pauses");
                tokio::task::yield_now().await;
            }
            assert_eq!(used.may_be_used(&[KEY]), [KEY]);
        }
    }

    #[tokio::test]
    async fn failed_append_discards_the_filter() {
        let mut used = knowing(&[]).await;
        used.forget();
        assert_eq!(used.may_be_used(&[KEY]), [KEY]);
    }
}
