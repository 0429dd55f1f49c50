//! Versions of several shards. A version's tables contain the rows of all shards, so that a number means one fold in
//! every shard.

use daybook_log::Shard;
use daybook_pg::Transaction;

use super::{Stage, Version};
use crate::error::Error;
use crate::store::Model;

/// Waits until no other transaction chooses or drops a number, and keeps others from it until this transaction ends.
///
/// The lock of the cursor and the locks of versions are taken before this one: a process that holds one of them may
/// wait for this lock.
pub(crate) async fn lock_numbers(tx: &Transaction<'_>) -> Result<(), Error> {
    Ok(tx.batch_execute(include_str!("lock_numbers.sql")).await?)
}

/// Returns the versions of `model` in every shard, including dropped ones, in order of shard and number.
pub(crate) async fn all_of_model(tx: &Transaction<'_>, model: Model) -> Result<Vec<(Shard, Version)>, Error> {
    let statement = tx.prepare_cached(include_str!("list_of_model.sql")).await?;
    let rows = tx.query(&statement, &[&model.name()]).await?;
    rows.iter().map(|row| Ok((row.try_get("shard")?, Version::parse(row)?))).collect()
}

/// Returns the first version of `model` in a shard whose cursor is at `position`, if another shard has tables of
/// `model`: a version in these tables, by their fold. If `position` is not 0, the version has to be filled before it
/// becomes active.
///
/// The active version of the lowest shard is taken. A version that is not active is taken only if none is.
pub(crate) async fn first_beside(
    tx: &Transaction<'_>,
    shard: Shard,
    model: Model,
    position: u64,
) -> Result<Option<Version>, Error> {
    let mut others = all_of_model(tx, model).await?;
    others.retain(|(of, version)| *of != shard && version.stage.has_tables() && !version.is_scratch);
    let active = others.iter().find(|(_, version)| version.stage == Stage::Active);
    let Some((_, Version { number, fold, .. })) = active.or_else(|| others.first()) else { return Ok(None) };
    let stage = if position == 0 { Stage::Active } else { Stage::Bulk };
    Ok(Some(Version { number: *number, fold: *fold, stage, ..Version::first(model) }))
}

/// Returns true if a shard other than `shard` has tables of this version.
pub(crate) async fn is_shared(tx: &Transaction<'_>, shard: Shard, version: &Version) -> Result<bool, Error> {
    let all = all_of_model(tx, version.model).await?;
    let is_other = |(of, other): &(Shard, Version)| {
        *of != shard && other.number == version.number && !other.is_dropped()
    };
    Ok(all.iter().any(is_other))
}
