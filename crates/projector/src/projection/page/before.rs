//! The rows that a page continues: those that were kept, and the others from their source.

use std::collections::{HashMap, HashSet};

use daybook_domain::{Key, Kind};
use daybook_log::{Log, Shard};
use futures::try_join;
use uuid::Uuid;

use super::PageCarry;
use crate::error::Error;
use crate::models::record::{Row, is_record};
use crate::models::{self, Models};
use crate::store::fold::Versioned;
use crate::store::recorded_event::RecordedEvent;
use crate::store::sql::Target;

/// Number of streams that are read at a time.
const STREAMS_PER_QUERY: usize = 1000;

/// Source of the states that a page continues.
pub(crate) enum Source<'a, 'tx> {
    /// The tables that the page is written to; for states that these do not contain, the earlier events.
    Rows(&'a Target<'a, 'tx>, &'a dyn Log),
    /// The earlier events, for tables that contain no states.
    Log(&'a dyn Log, Shard),
}

/// The rows that a page continues.
pub(super) type Before = HashMap<Key, Row>;

/// Returns the rows that `events` continue: those that were kept, and the others from `source`.
pub(super) async fn before<'e>(
    models: Models,
    source: &Source<'_, '_>,
    events: impl Iterator<Item = &'e RecordedEvent>,
    kept: &mut PageCarry,
) -> Result<Before, Error> {
    let (mut begun, mut before) = (HashSet::new(), Before::new());
    let mut missing = HashMap::new();
    let states = models.states();
    let needed = |happened: &&RecordedEvent| is_record(happened.key) && states.need(happened);
    for RecordedEvent { key, version, .. } in events.filter(needed) {
        if begun.insert(*key) && *version > 1 {
            if let Some(row) = kept.rows.pop(key) {
                before.insert(*key, row);
            } else {
                missing.insert(*key, *version);
            }
        }
    }
    if !missing.is_empty() {
        before.extend(match source {
            Source::Rows(target, log) => {
                let in_log = missing.extract_if(|key, _| key.kind == Kind::Transaction).collect();
                let others: Vec<Key> = missing.into_keys().collect();
                let (mut rows, folded) = try_join!(
                    models::load(target.tx, target.tables, target.shard, &others),
                    fold_streams(*log, target.shard, &in_log),
                )?;
                rows.extend(folded);
                rows
            }
            Source::Log(log, shard) => fold_streams(*log, *shard, &missing).await?,
        });
    }
    Ok(before)
}

/// Folds the events of each stream before a version.
async fn fold_streams(
    log: &dyn Log,
    shard: Shard,
    before: &HashMap<Key, u32>,
) -> Result<Vec<(Key, Row)>, Error> {
    let streams: Vec<_> = before.keys().map(|key| (Uuid::from_u128(key.id), 0)).collect();
    let mut rows: HashMap<Key, Row> = HashMap::with_capacity(streams.len());
    for streams in streams.chunks(STREAMS_PER_QUERY) {
        for recorded in log.streams(shard, streams).await? {
            let key = Kind::from_code(recorded.event.stream_kind)
                .map(|kind| Key { kind, id: recorded.event.stream.as_u128() });
            let needed = key.and_then(|key| before.get(&key));
            // Later events may be of a type that this binary does not know.
            if needed.is_none_or(|version| recorded.event.version >= *version) {
                continue;
            }
            let happened = RecordedEvent::decode(&recorded)?;
            if let Some(row) = rows.get_mut(&happened.key) {
                row.current.fold(&happened)?;
            } else {
                let row = Row { position: happened.position, current: Versioned::begin(&happened)? };
                rows.insert(happened.key, row);
            }
        }
    }
    Ok(rows.into_iter().collect())
}
