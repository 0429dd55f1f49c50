//! Queries for aggregates, with read-your-writes consistency: answers are as fresh as the log.
//!
//! A query first reads the head of the log. Queries of concurrent callers are batched, and cached answers are used as
//! long as the log has no newer event of their aggregate.

mod as_of;
mod batcher;
mod cache;
mod read;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

pub use as_of::Until;
use batcher::Batcher;
use cache::ReadCache;

use daybook_domain::account::Account;
use daybook_domain::{AccountId, Key, Kind, State};
use daybook_log::{Position, Shard};
use uuid::Uuid;

use crate::error::Error;
use crate::models::record;
use crate::store::Store;
use crate::store::fold::{Records, Timeline, Versioned};
use crate::store::recorded_event::{decode_all, key_of};

/// Batchers of the queries of concurrent callers.
#[derive(Debug, Default)]
struct Batchers {
    head: Batcher<(), Position>,
    records: Batcher<Key, Versioned>,
    timelines: Batcher<Key, Timeline>,
    accounts: Batcher<AccountId, Account>,
}

/// Caches of the answers.
#[derive(Debug, Default)]
struct Caches {
    records: ReadCache<Key, Versioned>,
    timelines: ReadCache<Key, Timeline>,
    accounts: ReadCache<AccountId, Account>,
}

/// Maximum number of events of a timeline that is cached.
const MAX_CACHED_EVENTS: usize = 64;

/// Batchers and caches of one shard.
#[derive(Debug, Default)]
struct ShardQueries {
    batchers: Batchers,
    caches: Caches,
}

/// Handle for queries of aggregates: their states, timelines and accounts. Cheap to clone.
#[derive(Clone)]
pub struct Aggregates {
    store: Store,
    shard_queries: Arc<Mutex<HashMap<Shard, Arc<ShardQueries>>>>,
}

impl Aggregates {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, shard_queries: Arc::default() }
    }

    fn shard_queries(&self, shard: Shard) -> Arc<ShardQueries> {
        let mut shard_queries = self.shard_queries.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(shard_queries.entry(shard).or_default())
    }

    /// Returns the head of the log at a moment after the call. Concurrent callers share one query.
    ///
    /// # Errors
    ///
    /// A failure of the log.
    pub async fn head(&self, shard: Shard) -> Result<Position, Error> {
        let ask = move |reads: Self, _, keys: Vec<()>| async move {
            let head = reads.store.log.head(shard).await?.position;
            reads.store.log.observe(shard, head);
            Ok::<_, Error>(keys.into_iter().map(|key| (key, head)).collect())
        };
        let found = self.shard_queries(shard).batchers.head.ask(self, 0, vec![()], ask).await?;
        Ok(found.get(&()).copied().unwrap_or_default())
    }

    /// Returns the state of one aggregate; none if it does not exist.
    ///
    /// # Errors
    ///
    /// [`Error::Undecodable`] if the row is older than an event that this binary cannot decode; failures of log or
    /// database.
    pub async fn record(&self, shard: Shard, key: Key) -> Result<Option<Versioned>, Error> {
        Ok(self.records(shard, &[key]).await?.take(key))
    }

    /// Returns the states of many aggregates of any kind. Those that do not exist are left out.
    ///
    /// # Errors
    ///
    /// As [`Aggregates::record`].
    pub async fn records(&self, shard: Shard, keys: &[Key]) -> Result<Records, Error> {
        if keys.is_empty() {
            return Ok(Records::default());
        }
        self.records_since(shard, self.head(shard).await?, keys).await
    }

    /// Returns the states of aggregates as of `head` or later. A caller with several queries reads the head only once.
    ///
    /// # Errors
    ///
    /// As [`Aggregates::record`].
    pub async fn records_since(&self, shard: Shard, head: Position, keys: &[Key]) -> Result<Records, Error> {
        let shard_queries = self.shard_queries(shard);
        let (mut found, missing) = shard_queries.caches.records.find(&*self.store.log, shard, head, keys);
        if !missing.is_empty() {
            let ask = move |reads: Self, head, keys| reads.records_of(shard, head, keys);
            found.extend(shard_queries.batchers.records.ask(self, head, missing, ask).await?);
        }
        Ok(found.into())
    }

    async fn records_of(
        self,
        shard: Shard,
        head: Position,
        keys: Vec<Key>,
    ) -> Result<HashMap<Key, Versioned>, Error> {
        let read = self.read_records(shard, head, keys).await?;
        if self.store.is_certain(shard) {
            self.shard_queries(shard).caches.records.keep(head, read.iter());
        }
        Ok(read)
    }

    /// Returns the timelines of aggregates: all events of each, in order.
    ///
    /// # Errors
    ///
    /// As [`Aggregates::record`].
    pub async fn timelines(&self, shard: Shard, keys: &[Key]) -> Result<HashMap<Key, Timeline>, Error> {
        if keys.is_empty() {
            return Ok(HashMap::new());
        }
        self.timelines_since(shard, self.head(shard).await?, keys).await
    }

    /// Returns the timelines of aggregates as of `head` or later.
    ///
    /// # Errors
    ///
    /// As [`Aggregates::record`].
    pub async fn timelines_since(
        &self,
        shard: Shard,
        head: Position,
        keys: &[Key],
    ) -> Result<HashMap<Key, Timeline>, Error> {
        let shard_queries = self.shard_queries(shard);
        let (mut found, missing) = shard_queries.caches.timelines.find(&*self.store.log, shard, head, keys);
        if missing.iter().any(|key| Kind::LARGE_PAYLOADS.contains(&key.kind)) {
            // These are not batched, so that other callers do not wait for large files.
            found.extend(self.clone().timelines_of(shard, head, missing).await?);
        } else if !missing.is_empty() {
            let ask = move |reads: Self, head, keys| reads.timelines_of(shard, head, keys);
            found.extend(shard_queries.batchers.timelines.ask(self, head, missing, ask).await?);
        }
        Ok(found)
    }

    async fn timelines_of(
        self,
        shard: Shard,
        head: Position,
        keys: Vec<Key>,
    ) -> Result<HashMap<Key, Timeline>, Error> {
        let read = self.streams_of(shard, keys).await?;
        // Files can have megabytes, so they are not cached.
        let is_small =
            |(key, events): &(&Key, &Timeline)| record::is_record(**key) && events.len() <= MAX_CACHED_EVENTS;
        if self.store.is_certain(shard) {
            self.shard_queries(shard).caches.timelines.keep(head, read.iter().filter(is_small));
        }
        Ok(read)
    }

    /// Returns accounts after their last entries, as of `head` or later, all as of the same position. Accounts without
    /// an entry are left out.
    ///
    /// # Errors
    ///
    /// As [`Aggregates::record`].
    pub async fn accounts_since(
        &self,
        shard: Shard,
        head: Position,
        ids: &[AccountId],
    ) -> Result<HashMap<AccountId, Account>, Error> {
        let shard_queries = self.shard_queries(shard);
        let (found, missing) = shard_queries.caches.accounts.find(&*self.store.log, shard, head, ids);
        if missing.is_empty() {
            return Ok(found);
        }
        // All of them are read again, so that they are of one position: the missing ones may be newer than the cached
        // ones.
        let ask = move |reads: Self, head, ids| reads.accounts_of(shard, head, ids);
        shard_queries.batchers.accounts.ask(self, head, ids.to_vec(), ask).await
    }

    /// Reads the accounts with one statement.
    async fn accounts_of(
        self,
        shard: Shard,
        head: Position,
        ids: Vec<AccountId>,
    ) -> Result<HashMap<AccountId, Account>, Error> {
        let asked: HashSet<Key> = ids.into_iter().map(Key::from).collect();
        let streams: Vec<_> = asked.iter().map(|key| Uuid::from_u128(key.id)).collect();
        let mut last = self.store.log.last(shard, &streams).await?;
        // The id of an account is derived from that of its node, which a caller names: it may belong to any kind of
        // aggregate.
        last.retain(|recorded| key_of(recorded, &asked).is_some());
        let mut read = HashMap::with_capacity(last.len());
        for happened in decode_all(&last)? {
            if let State::Account(account) = Versioned::from_last(&happened)?.state {
                read.insert(AccountId::from_u128(happened.key.id), Arc::unwrap_or_clone(account));
            }
        }
        if self.store.is_certain(shard) {
            self.shard_queries(shard).caches.accounts.keep(head, read.iter());
        }
        Ok(read)
    }
}
