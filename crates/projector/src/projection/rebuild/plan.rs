//! Plans a version: chooses its number, which is in the names of its tables.
//!
//! A number means one fold in every shard, because the tables of a version contain the rows of all shards.

use daybook_log::Shard;
use daybook_pg::Transaction;

use crate::error::Error;
use crate::store::Model;
use crate::store::cursor;
use crate::store::version::{self, Stage, Version};

/// Returns the unfinished version of `model`, or plans a new one.
pub(super) async fn plan(tx: &Transaction<'_>, shard: Shard, model: Model) -> Result<Version, Error> {
    cursor::lock(tx, shard).await?;
    let versions = version::all_in(tx, shard).await?;
    let mut own = versions.iter().filter(|version| version.model == model);
    let unfinished = own.find(|version| {
        !version.is_scratch && (version.stage.is_building() || version.stage == Stage::Verify)
    });
    if let Some(version) = unfinished {
        return Ok(*version);
    }
    version::lock_numbers(tx).await?;
    let number = next_number(&version::all_of_model(tx, model).await?, shard, model);
    let planned = Version { number, stage: Stage::Planned, ..Version::first(model) };
    version::save(tx, shard, &planned).await?;
    Ok(planned)
}

/// Returns the smallest number of a version that another shard built with the newest fold and `shard` did not build
/// yet; if there is none, a number that no shard ever had. `all` are the versions of `model` in every shard.
fn next_number(all: &[(Shard, Version)], shard: Shard, model: Model) -> u16 {
    let own = all.iter().filter(|(of, _)| *of == shard);
    let last = own.map(|(_, version)| version.number).max().unwrap_or_default();
    let is_next = |version: &Version| {
        version.number > last
            && version.fold == model.fold()
            && !version.is_scratch
            && version.stage != Stage::Dropped
    };
    let others = all.iter().filter(|(of, version)| *of != shard && is_next(version));
    others.map(|(_, version)| version.number).min().unwrap_or_else(|| new_number(all, model))
}

/// Returns a number that no version of `model` ever had in any shard. `all` are the versions of `model` in every shard.
pub(super) fn new_number(all: &[(Shard, Version)], model: Model) -> u16 {
    let last = all.iter().map(|(_, version)| version.number).max().unwrap_or_default();
    last.saturating_add(1).max(model.fold())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: Model = Model::BALANCES;

    fn version(number: u16, fold: u16) -> Version {
        Version { number, fold, ..Version::first(MODEL) }
    }

    fn next(all: &[(Shard, Version)], shard: Shard) -> u16 {
        next_number(all, shard, MODEL)
    }

    #[test]
    fn lone_shard_counts_its_versions() {
        assert_eq!(next(&[], 1), MODEL.fold());
        assert_eq!(next(&[(1, version(2, 2)), (1, version(5, 2))], 1), 6);
    }

    #[test]
    fn next_number_follows_other_shards() {
        let all = [(1, version(2, 2)), (1, version(4, 2)), (1, version(5, 2)), (2, version(2, 2))];
        assert_eq!([1, 2].map(|shard| next(&all, shard)), [6, 4]);
    }

    #[test]
    fn unfit_versions_of_others_are_skipped() {
        let older = version(3, 1);
        let scratch = Version { is_scratch: true, ..version(4, 2) };
        let dropped = Version { stage: Stage::Dropped, ..version(5, 2) };
        let all = [(1, older), (1, scratch), (1, dropped), (2, version(2, 2))];
        assert_eq!(next(&all, 2), 6);
    }
}
