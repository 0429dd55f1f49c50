//! Current states of aggregates. The row is a snapshot, and the log decides. A transaction has no snapshot, because its
//! stream is short.
//!
//! If the row is older than the last event, the events between are folded onto it with the same `evolve`. These states
//! are therefore as fresh as the log, however far the projection is behind.

use std::collections::{HashMap, HashSet};

use daybook_domain::{Key, Kind};
use daybook_log::postgres::Lease;
use daybook_log::{Position, Shard, StreamId};
use futures::try_join;
use uuid::Uuid;

use super::Aggregates;
use crate::error::Error;
use crate::models::{self, record};
use crate::store::cursor;
use crate::store::fold::{self, Timeline, Versioned, by_key};
use crate::store::recorded_event::RecordedEvent;
use crate::store::recorded_event::{decode_all, key_of};
use crate::store::version::Tables;

impl Aggregates {
    /// Reads the states of aggregates from rows, and from the events up to `head` that the rows do not contain.
    pub(crate) async fn read_records(
        &self,
        shard: Shard,
        head: Position,
        keys: Vec<Key>,
    ) -> Result<HashMap<Key, Versioned>, Error> {
        let (in_log, keys) = keys.into_iter().partition(|key| key.kind == Kind::Transaction);
        let rows = Box::pin(self.rows_and_later(shard, head, keys));
        let (mut states, streams) = try_join!(rows, self.streams_of(shard, in_log))?;
        for (key, events) in streams {
            states.extend(fold::fold(None, &events)?.map(|state| (key, state)));
        }
        Ok(states)
    }

    /// Reads all events of each aggregate, in order.
    pub(crate) async fn streams_of(
        &self,
        shard: Shard,
        keys: Vec<Key>,
    ) -> Result<HashMap<Key, Timeline>, Error> {
        let asked: HashSet<Key> = keys.into_iter().collect();
        let streams: Vec<_> = asked.iter().map(|key| (Uuid::from_u128(key.id), 0)).collect();
        if streams.is_empty() {
            return Ok(HashMap::new());
        }
        let mut recorded = self.store.log.streams(shard, &streams).await?;
        recorded.retain(|recorded| key_of(recorded, &asked).is_some());
        Ok(by_key(decode_all(&recorded)?))
    }

    async fn rows_and_later(
        &self,
        shard: Shard,
        head: Position,
        keys: Vec<Key>,
    ) -> Result<HashMap<Key, Versioned>, Error> {
        let (is_behind, rows) = self.rows(shard, head, &keys).await?;
        // The state of an aggregate without a row is read from the log.
        let asked: HashSet<Key> =
            keys.into_iter().filter(|key| is_behind || !record::is_record(*key)).collect();
        if asked.is_empty() {
            return Ok(rows);
        }
        // Each stream once: a caller that names a user as a node requests one stream as two kinds.
        let streams: HashSet<StreamId> = asked.iter().map(|key| Uuid::from_u128(key.id)).collect();
        let streams: Vec<StreamId> = streams.into_iter().collect();
        let last = self.store.log.last(shard, &streams).await?;
        let (mut rows, mut states) = if is_behind { (rows, HashMap::new()) } else { (HashMap::new(), rows) };
        let mut behind = vec![];
        let wanted = last.iter().filter_map(|recorded| Some((key_of(recorded, &asked)?, recorded)));
        for (key, recorded) in wanted {
            let row = rows.remove(&key);
            let version = row.as_ref().map_or(0, |row| row.version);
            match row {
                // The row was read after the last event, or contains it.
                Some(row) if row.version >= recorded.event.version => {
                    states.insert(key, row);
                }
                _ if key.kind.last_event_is_state() => {
                    states.insert(key, Versioned::from_last(&RecordedEvent::decode(recorded)?)?);
                }
                row if version.checked_add(1) == Some(recorded.event.version) => {
                    states.extend(
                        fold::fold(row, &[RecordedEvent::decode(recorded)?])?.map(|state| (key, state)),
                    );
                }
                row => {
                    behind.push((recorded.event.stream, version));
                    states.extend(row.map(|row| (key, row)));
                }
            }
        }
        if !behind.is_empty() {
            let later = decode_all(&self.store.log.streams(shard, &behind).await?)?;
            for (key, events) in by_key(later) {
                let state = fold::fold(states.remove(&key), &events)?;
                states.extend(state.map(|state| (key, state)));
            }
        }
        Ok(states)
    }

    /// Reads the rows of `keys` from the record read models. The first value is true if the log may have events up to
    /// `head` that the rows do not contain. `head` was read before: if the cursor has passed it, the rows contain all
    /// of them.
    async fn rows(
        &self,
        shard: Shard,
        head: Position,
        keys: &[Key],
    ) -> Result<(bool, HashMap<Key, Versioned>), Error> {
        if !keys.iter().any(|key| record::is_record(*key)) {
            return Ok((true, HashMap::new()));
        }
        let (cursor, rows) = match self.rows_in(&*self.store.tables(shard).await?, shard, keys).await {
            Err(error) if error.is_dropped() => {
                self.rows_in(&*self.store.reload_versions(shard).await?, shard, keys).await?
            }
            rows => rows?,
        };
        Ok((cursor < head, rows))
    }

    async fn rows_in(
        &self,
        tables: &Tables,
        shard: Shard,
        keys: &[Key],
    ) -> Result<(u64, HashMap<Key, Versioned>), Error> {
        let read = |db: Lease| async move {
            // The cursor's query is sent before that of the rows, because it is already prepared.
            let place = cursor::CursorRow::prepare(&db).await?;
            try_join!(place.of(&db, shard, tables), models::load(&*db, tables, shard, keys))
        };
        let (cursor, rows) = self.store.reading(shard, tables.generation, read).await?;
        Ok((cursor, rows.into_iter().map(|(key, row)| (key, row.current)).collect()))
    }
}
