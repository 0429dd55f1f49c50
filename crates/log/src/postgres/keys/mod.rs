//! Which idempotency keys one appender knows not to be in the table, so that nobody looks for them: nearly all, and a look
//! is three probes of an index.
//!
//! What is known holds for one end of the log. A commit of another process moves that end, and then nothing is known until
//! the table was read again, beside the work. An index that refuses a second row is the wall behind it.

mod filter;

use std::mem;
use std::time::Duration;

use daybook_pg::{Causes, Pg};
use filter::{Filter, Full};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::rows;
use crate::{Error, Head, Key, KeyUse, Shard};

/// Keys that are read by one statement.
const PAGE: i64 = 5000;
/// For each second of reading the table, so many pass without.
const REST: u32 = 9;
/// How long nothing is read after that failed.
const AFTER_FAILURE: Duration = Duration::from_mins(1);
/// How long nothing is read after more keys were found than there is room for.
const AFTER_TOO_MUCH: Duration = Duration::from_hours(1);

/// What one appender knows of the used keys of its shard.
#[derive(Default)]
pub(super) struct UsedKeys {
    memory: Memory,
    /// When the table may be read again; at once if never said.
    rested: Option<Instant>,
}

#[derive(Default)]
enum Memory {
    #[default]
    Nothing,
    /// The table is being read, and has what was committed when that began.
    Reading {
        work: JoinSet<Result<Read, Error>>,
        /// What this appender committed since, with its time.
        later: Vec<(Key, i64)>,
        end: u64,
    },
    /// Every key of the commits up to `end`.
    All { filter: Filter, end: u64 },
}

/// What a reading of the table gave.
pub(super) struct Read {
    filter: Result<Filter, Full>,
    took: Duration,
}

impl UsedKeys {
    /// Those of `keys` that have to be looked for: the others are in no row while the log ends where [`UsedKeys::stand`]
    /// said last.
    pub(super) fn doubtful(&self, keys: &[Key]) -> Vec<Key> {
        match &self.memory {
            Memory::All { filter, .. } => keys.iter().filter(|key| filter.may_hold(key)).copied().collect(),
            Memory::Nothing | Memory::Reading { .. } => keys.to_vec(),
        }
    }

    /// Under the lock the log was found to end at `head`: whether what is known holds. If not, `reading` gives it anew.
    pub(super) fn stand(
        &mut self,
        head: Head,
        reading: impl Future<Output = Result<Read, Error>> + Send + 'static,
    ) -> bool {
        self.memory = match mem::take(&mut self.memory) {
            Memory::All { filter, end } if end == head.commit_no => Memory::All { filter, end },
            Memory::Reading { work, later, end } if end == head.commit_no => self.look(work, later, end),
            _ if self.rested.is_none_or(|at| at <= Instant::now()) => {
                let mut work = JoinSet::new();
                work.spawn(reading);
                Memory::Reading { work, later: vec![], end: head.commit_no }
            }
            _ => Memory::Nothing,
        };
        matches!(self.memory, Memory::All { .. })
    }

    /// Takes note of the keys of the commit `commit_no`, recorded at `at_ms`, which followed the end that is known.
    pub(super) fn note(&mut self, commit_no: u64, used: &[KeyUse], at_ms: i64) {
        let keys = used.iter().map(|used| used.key);
        match &mut self.memory {
            Memory::All { filter, end } => {
                *end = commit_no;
                let is_full = keys.into_iter().any(|key| filter.insert(&key, at_ms).is_err());
                if is_full {
                    self.give_up();
                }
            }
            Memory::Reading { later, end, .. } => {
                *end = commit_no;
                later.extend(keys.map(|key| (key, at_ms)));
            }
            Memory::Nothing => {}
        }
    }

    /// Nothing is believed any more: an append failed, perhaps for a key that was not looked for and is there.
    pub(super) fn forget(&mut self) {
        self.memory = Memory::Nothing;
    }

    /// What has become of the reading.
    fn look(&mut self, mut work: JoinSet<Result<Read, Error>>, later: Vec<(Key, i64)>, end: u64) -> Memory {
        let Some(done) = work.try_join_next() else { return Memory::Reading { work, later, end } };
        let read = match done {
            Ok(Ok(read)) => read,
            Ok(Err(error)) => return self.fail(&error),
            Err(error) => return self.fail(&error),
        };
        self.rested = Some(Instant::now() + read.took * REST);
        let complete = read.filter.and_then(|mut filter| {
            later.iter().try_for_each(|(key, at_ms)| filter.insert(key, *at_ms))?;
            Ok(filter)
        });
        complete.map_or_else(
            |Full| {
                self.give_up();
                Memory::Nothing
            },
            |filter| Memory::All { filter, end },
        )
    }

    fn fail(&mut self, error: &(dyn std::error::Error + 'static)) -> Memory {
        tracing::warn!(error = %Causes(error), "the used keys cannot be read; each is looked for in the table");
        self.rested = Some(Instant::now() + AFTER_FAILURE);
        Memory::Nothing
    }

    fn give_up(&mut self) {
        tracing::info!(
            "more keys are in use than there is room for in memory; each is looked for in the table"
        );
        *self = Self { memory: Memory::Nothing, rested: Some(Instant::now() + AFTER_TOO_MUCH) };
    }
}

/// Reads every key of the shard, a page at a time.
pub(super) async fn read(pg: Pg, shard: Shard) -> Result<Read, Error> {
    let began = Instant::now();
    let mut filter = Filter::default();
    for slot in 0..3_i16 {
        let mut after: Vec<u8> = vec![];
        loop {
            let client = pg.client().await?;
            let statement = client.prepare_cached(include_str!("../sql/list_keys.sql")).await?;
            let page = client.query(&statement, &[&shard, &slot, &after, &PAGE]).await?;
            for row in &page {
                let (key, at_ms) = rows::listed_key(row)?;
                if filter.insert(&key, at_ms).is_err() {
                    return Ok(Read { filter: Err(Full), took: began.elapsed() });
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

    /// A reading that finds `keys` in the table.
    fn finds(keys: &[Key]) -> impl Future<Output = Result<Read, Error>> + Send + 'static {
        let mut filter = Filter::default();
        for key in keys {
            filter.insert(key, 0).expect("room");
        }
        ready(Ok(Read { filter: Ok(filter), took: Duration::from_secs(1) }))
    }

    /// Of an appender that has begun to read `keys` where the log ends at commit 7.
    fn reading(keys: &[Key]) -> UsedKeys {
        let mut used = UsedKeys::default();
        assert!(!used.stand(at(7), finds(keys)), "it has only begun");
        used
    }

    /// Of an appender that knows `keys`, and that the log ends at commit 7.
    async fn knowing(keys: &[Key]) -> UsedKeys {
        let mut used = reading(keys);
        assert_eq!(used.doubtful(&[KEY, OTHER]), [KEY, OTHER], "nothing is known yet");
        tokio::task::yield_now().await;
        assert!(used.stand(at(7), pending()), "it was read");
        used
    }

    #[tokio::test]
    async fn what_is_in_no_row_is_not_looked_for() {
        assert_eq!(knowing(&[KEY]).await.doubtful(&[KEY, OTHER]), [KEY]);
    }

    #[tokio::test]
    async fn what_was_committed_here_is_known() {
        let mut used = knowing(&[]).await;
        used.note(8, &using(KEY), 0);
        assert!(used.stand(at(8), pending()));
        assert_eq!(used.doubtful(&[KEY, OTHER]), [KEY]);
    }

    #[tokio::test]
    async fn what_was_committed_while_the_table_was_read_is_known() {
        let mut used = reading(&[]);
        used.note(8, &using(KEY), 0);
        tokio::task::yield_now().await;
        assert!(used.stand(at(8), pending()));
        assert_eq!(used.doubtful(&[KEY, OTHER]), [KEY]);
    }

    #[tokio::test]
    async fn after_a_commit_of_another_process_nothing_is_known_until_the_table_was_read_again() {
        let mut used = knowing(&[]).await;
        assert!(!used.stand(at(8), finds(&[KEY])));
        assert_eq!(used.doubtful(&[OTHER]), [OTHER]);
        assert!(used.rested.is_some_and(|at| at > Instant::now() + Duration::from_secs(5)), "it rests");
        used.rested = None;
        assert!(!used.stand(at(8), finds(&[KEY])), "it has begun");
        tokio::task::yield_now().await;
        assert!(used.stand(at(8), pending()));
        assert_eq!(used.doubtful(&[KEY, OTHER]), [KEY]);
    }

    #[tokio::test]
    async fn a_commit_of_another_process_while_the_table_is_read_makes_it_worth_nothing() {
        let mut used = reading(&[]);
        tokio::task::yield_now().await;
        assert!(!used.stand(at(8), finds(&[])));
        assert_eq!(used.doubtful(&[KEY]), [KEY]);
    }

    #[tokio::test]
    async fn what_cannot_be_read_or_kept_is_looked_for() {
        let readings: [Result<Read, Error>; 2] =
            [Err(Error::not_locked()), Ok(Read { filter: Err(Full), took: Duration::ZERO })];
        for reading in readings {
            let mut used = UsedKeys::default();
            assert!(!used.stand(at(7), ready(reading)));
            tokio::task::yield_now().await;
            for _ in 0..3 {
                assert!(!used.stand(at(7), finds(&[])), "it rests");
                tokio::task::yield_now().await;
            }
            assert_eq!(used.doubtful(&[KEY]), [KEY]);
        }
    }

    #[tokio::test]
    async fn after_an_append_that_failed_everything_is_looked_for() {
        let mut used = knowing(&[]).await;
        used.forget();
        assert_eq!(used.doubtful(&[KEY]), [KEY]);
    }
}
