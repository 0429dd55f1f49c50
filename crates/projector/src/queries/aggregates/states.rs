//! States: what an aggregate is right now. The row remembers, the log has the last word. Of a transaction no row remembers
//! anything: its stream is short.
//!
//! Row and last event are asked for in the same moment; where the row is behind, the events between are folded onto
//! it with the same `evolve`. So these states are as fresh as the log, however far the runner has come.

use std::collections::{HashMap, HashSet};

use daybook_domain::{Key, Kind};
use daybook_log::{Position, Shard, StreamId};
use futures::try_join;
use uuid::Uuid;

use super::Aggregates;
use crate::error::Error;
use crate::models::{self, record};
use crate::store::cursor;
use crate::store::fold::{self, Timeline, Versioned, by_key};
use crate::store::happened::Happened;
use crate::store::happened::{decode_all, key_of};
use crate::store::version::Tables;

impl Aggregates {
    /// The states of aggregates, from rows and from what the log holds up to `head` and they do not.
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

    /// Every event of each aggregate, in order.
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
        // What has no row is as the log tells it.
        let asked: HashSet<Key> =
            keys.into_iter().filter(|key| is_behind || !record::is_record(*key)).collect();
        if asked.is_empty() {
            return Ok(rows);
        }
        // Once each: whoever names a user as a node asks for one stream as two kinds.
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
                // The row was read a moment later than the last event, or is of it.
                Some(row) if row.version >= recorded.event.version => {
                    states.insert(key, row);
                }
                _ if key.kind.is_told_by_last() => {
                    states.insert(key, Versioned::from_last(&Happened::decode(recorded)?)?);
                }
                row if version.checked_add(1) == Some(recorded.event.version) => {
                    states.extend(fold::fold(row, &[Happened::decode(recorded)?])?.map(|state| (key, state)));
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

    /// What the record read models hold of `keys`, and whether the log may hold more about them up to `head`, which was
    /// read before: then rows that the cursor had passed hold all of it.
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
                self.rows_in(&*self.store.look_at_versions(shard).await?, shard, keys).await?
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
        let db = self.store.pg.client().await?;
        // Sent before the rows are asked for, as nothing has to be prepared any more.
        let place = cursor::Place::prepare(&db).await?;
        let (cursor, rows) = try_join!(place.of(&db, shard, tables), models::load(&db, tables, shard, keys))?;
        Ok((cursor, rows.into_iter().map(|(key, row)| (key, row.current)).collect()))
    }
}
