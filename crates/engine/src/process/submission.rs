//! Submission: puts the transactions that wait for a rail's cut-off into one file per platform and rail. The file is
//! recorded first, so that a bank only receives recorded entries.

use std::collections::BTreeMap;

use daybook_domain::custody::cut::CutFile;
use daybook_domain::posting::Rail;
use daybook_domain::transaction::Direction;
use daybook_domain::{Command, CustodyId, FileId, Key, PlatformId, States, Timestamp, TransactionId};
use daybook_log::Shard;
use daybook_pg::Causes;
use daybook_projector::{Due, Records};

use super::outcome::{ToDoError, ToDoResult, submit};
use crate::engine::Engine;

/// Candidates for one file, each with the time since when it is due.
type Group = Vec<(TransactionId, Direction, Timestamp)>;

/// Cuts files from due transactions.
pub(super) async fn cut(engine: &Engine, shard: Shard, now: Timestamp, due: &[Due]) -> Vec<ToDoResult> {
    let mut done = vec![];
    let grouped = match group(engine, shard, due).await {
        Ok(grouped) => grouped,
        Err(error) => {
            tracing::warn!(error = %Causes(&error), "cannot group the due transactions into files");
            return done;
        }
    };
    for ((platform, custody, rail), items) in grouped {
        let ids: Vec<u128> = items.iter().map(|(id, ..)| id.as_u128()).collect();
        let result = cut_one(engine, shard, now, (platform, custody, rail), items).await;
        let outcome = |id| match &result {
            Ok(position) => (id, Ok(*position)),
            // The transactions of a file wait together, for one reason.
            Err(_) => (id, Err(ToDoError::NotReady)),
        };
        if let Err(error) = &result {
            tracing::debug!(error = %Causes(error), "no file was cut");
        }
        done.extend(ids.into_iter().map(outcome));
    }
    done
}

async fn group(
    engine: &Engine,
    shard: Shard,
    due: &[Due],
) -> Result<BTreeMap<(PlatformId, CustodyId, Rail), Group>, daybook_projector::Error> {
    let keys: Vec<Key> = due.iter().map(|due| TransactionId::from_u128(due.id).into()).collect();
    let found = engine.reads().aggregates().records(shard, &keys).await?;
    let platforms: Vec<Key> = due.iter().filter_map(|due| platform_of(&found, due).map(Key::from)).collect();
    let platforms = engine.reads().aggregates().records(shard, &platforms).await?;
    let mut grouped: BTreeMap<_, Group> = BTreeMap::new();
    for due in due {
        let id = TransactionId::from_u128(due.id);
        let leg = found.transaction(id).and_then(|transaction| {
            let (direction, _, rail) = transaction.to_submit()?;
            let platform = platforms.platform(transaction.platform)?;
            Some((
                (transaction.platform, CustodyId::of(transaction.platform, platform.bank), rail),
                direction,
            ))
        });
        if let Some((file, direction)) = leg {
            grouped.entry(file).or_default().push((id, direction, due.due_at));
        }
    }
    Ok(grouped)
}

fn platform_of(found: &Records, due: &Due) -> Option<PlatformId> {
    found.transaction(TransactionId::from_u128(due.id)).map(|transaction| transaction.platform)
}

async fn cut_one(
    engine: &Engine,
    shard: Shard,
    now: Timestamp,
    (platform, custody, rail): (PlatformId, CustodyId, Rail),
    items: Group,
) -> Result<u64, ToDoError> {
    let cut_off = engine.bank(platform).await?.cut_off(rail, now).ok_or(ToDoError::NotReady)?;
    let in_time = items.into_iter().filter(|(.., due_at)| *due_at <= cut_off.at);
    let items: Vec<_> = in_time.map(|(id, direction, _)| (id, direction)).collect();
    if items.is_empty() {
        return Err(ToDoError::NotReady);
    }
    let file = FileId::from_u128(engine.entropy().ulid(engine.clock().now()));
    let cut = CutFile { custody, file, rail, items, cut_off: Some(cut_off) };
    submit(engine, shard, Command::CutFile(cut)).await
}
