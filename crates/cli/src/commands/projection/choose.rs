//! `projection switch`, `rollback` and `drop`.

use daybook_engine::SHARD;
use daybook_projector::{Allowed, Version};

use super::{list, with_reads};
use crate::config::ProjectionOptions;
use crate::error::Error;
use crate::out;

/// Switches to the new version.
pub(super) async fn switch(allowed: &Allowed, one: &ProjectionOptions) -> Result<(), Error> {
    let chosen = with_reads(&one.database, async |reads| {
        Ok(reads.comparisons().switch(SHARD, one.name, allowed).await?)
    })
    .await?;
    print(one, &[chosen], "is active")
}

/// Switches back to the previous version.
pub(super) async fn roll_back(one: &ProjectionOptions) -> Result<(), Error> {
    let chosen =
        with_reads(&one.database, async |reads| Ok(reads.comparisons().roll_back(SHARD, one.name).await?))
            .await?;
    print(one, &[chosen], "is active again")
}

/// Drops versions that are not read.
pub(super) async fn drop(number: Option<u16>, one: &ProjectionOptions) -> Result<(), Error> {
    let dropped =
        with_reads(&one.database, async |reads| Ok(reads.versions().drop(SHARD, one.name, number).await?))
            .await?;
    print(one, &dropped, "is dropped")
}

fn print(one: &ProjectionOptions, versions: &[Version], what: &str) -> Result<(), Error> {
    for version in versions {
        out::answer(one.json, &list::record(version), &format!("{version} {what}"))?;
    }
    Ok(())
}
