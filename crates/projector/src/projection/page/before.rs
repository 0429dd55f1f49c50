//! What a page continues: rows that were kept, and the others from where they are.

use std::collections::{HashMap, HashSet};

use daybook_domain::custody::Custody;
use daybook_domain::node::Node;
use daybook_domain::operation::Operation;
use daybook_domain::platform::Platform;
use daybook_domain::subnet::Subnet;
use daybook_domain::subscription::Subscription;
use daybook_domain::user::User;
use daybook_domain::{Key, Kind};
use daybook_log::{Log, Shard};
use futures::try_join;
use uuid::Uuid;

use super::Kept;
use crate::error::Error;
use crate::models::Models;
use crate::models::record::{self, Record, Row, is_record};
use crate::store::fold::Versioned;
use crate::store::happened::Happened;
use crate::store::sql::Target;

/// How many streams are read at a time.
const STREAMS: usize = 1000;

/// Where the states come from that a page continues.
pub(crate) enum Source<'a, 'tx> {
    /// From the tables that it writes to, and where these hold no states from the events before it.
    Rows(&'a Target<'a, 'tx>, &'a dyn Log),
    /// From the events before it: tables that are made of states do not hold these.
    Log(&'a dyn Log, Shard),
}

/// The rows that a page continues.
pub(super) type Before = HashMap<Key, Row>;

/// The rows that `events` continue: those that were kept, and the others from `source`.
pub(super) async fn before<'e>(
    models: Models,
    source: &Source<'_, '_>,
    events: impl Iterator<Item = &'e Happened>,
    kept: &mut Kept,
) -> Result<Before, Error> {
    let (mut begun, mut before) = (HashSet::new(), Before::new());
    let mut missing = HashMap::new();
    let states = models.states();
    let needed = |happened: &&Happened| is_record(happened.key) && states.need(happened);
    for Happened { key, version, .. } in events.filter(needed) {
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
                let (mut rows, folded) = try_join!(
                    load_rows(target, missing.into_keys().collect()),
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

/// Reads rows, a statement per kind at most.
async fn load_rows(from: &Target<'_, '_>, keys: Vec<Key>) -> Result<Vec<(Key, Row)>, Error> {
    let keys = &keys;
    let (platforms, users, nodes, custodies, operations, subnets, subscriptions) = try_join!(
        load::<Platform>(from, keys),
        load::<User>(from, keys),
        load::<Node>(from, keys),
        load::<Custody>(from, keys),
        load::<Operation>(from, keys),
        load::<Subnet>(from, keys),
        load::<Subscription>(from, keys),
    )?;
    let found = [platforms, users, nodes, custodies, operations, subnets, subscriptions];
    Ok(found.into_iter().flatten().collect())
}

async fn load<R: Record>(from: &Target<'_, '_>, keys: &[Key]) -> Result<Vec<(Key, Row)>, Error> {
    if !record::any_of::<R>(keys) {
        return Ok(vec![]);
    }
    let statement = from.tx.prepare_cached(&from.tables.sql(R::LOAD)).await?;
    record::load::<R>(from.tx.client(), &statement, from.shard, keys).await
}

/// Folds the events of each stream that come before a version.
async fn fold_streams(
    log: &dyn Log,
    shard: Shard,
    before: &HashMap<Key, u32>,
) -> Result<Vec<(Key, Row)>, Error> {
    let streams: Vec<_> = before.keys().map(|key| (Uuid::from_u128(key.id), 0)).collect();
    let mut rows: HashMap<Key, Row> = HashMap::with_capacity(streams.len());
    for streams in streams.chunks(STREAMS) {
        for recorded in log.streams(shard, streams).await? {
            let key = Kind::from_code(recorded.event.stream_kind)
                .map(|kind| Key { kind, id: recorded.event.stream.as_u128() });
            let needed = key.and_then(|key| before.get(&key));
            // What comes later may be of a type that is not known yet.
            if needed.is_none_or(|version| recorded.event.version >= *version) {
                continue;
            }
            let happened = Happened::decode(&recorded)?;
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
