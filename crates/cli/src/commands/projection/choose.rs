//! `projection switch`, `rollback` and `drop`.

use daybook_log::Shard;
use daybook_projector::{Allowed, Version};

use super::{list, with_reads};
use crate::config::ProjectionOptions;
use crate::error::Error;
use crate::out;
use crate::shards::print_heading;

/// Switches to the new version.
pub(super) async fn switch(allowed: &Allowed, one: &ProjectionOptions) -> Result<(), Error> {
    let chosen = with_reads(one, async |reads, shard| {
        Ok(vec![reads.comparisons().switch(shard, one.name, allowed).await?])
    })
    .await?;
    print(one, &chosen, "is active")
}

/// Switches back to the previous version.
pub(super) async fn roll_back(one: &ProjectionOptions) -> Result<(), Error> {
    let chosen =
        with_reads(one, async |reads, shard| Ok(vec![reads.comparisons().roll_back(shard, one.name).await?]))
            .await?;
    print(one, &chosen, "is active again")
}

/// Drops versions that are not read.
pub(super) async fn drop(number: Option<u16>, one: &ProjectionOptions) -> Result<(), Error> {
    let dropped =
        with_reads(one, async |reads, shard| Ok(reads.versions().drop(shard, one.name, number).await?))
            .await?;
    print(one, &dropped, "is dropped")
}

fn print(one: &ProjectionOptions, versions: &[(Shard, Vec<Version>)], what: &str) -> Result<(), Error> {
    let shards: Vec<Shard> = versions.iter().map(|(shard, _)| *shard).collect();
    for (shard, versions) in versions {
        print_heading(&shards, *shard, one.json)?;
        for version in versions {
            out::answer(one.json, &list::record(*shard, version), &format!("{version} {what}"))?;
        }
    }
    Ok(())
}
