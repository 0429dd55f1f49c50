//! `projection switch`, `rollback` and `drop`.

use daybook_engine::SHARD;
use daybook_projector::{Allowed, Version};

use super::{list, with_reads};
use crate::config::One;
use crate::error::Error;

/// Reads the new version.
pub(super) async fn switch(allowed: &Allowed, one: &One) -> Result<(), Error> {
    let chosen = with_reads(&one.database, async |reads| {
        Ok(reads.comparisons().switch(SHARD, one.name, allowed).await?)
    })
    .await?;
    print(one, &[chosen], "is read now");
    Ok(())
}

/// Reads the old version again.
pub(super) async fn roll_back(one: &One) -> Result<(), Error> {
    let chosen =
        with_reads(&one.database, async |reads| Ok(reads.comparisons().roll_back(SHARD, one.name).await?))
            .await?;
    print(one, &[chosen], "is read again");
    Ok(())
}

/// Drops what is not read.
pub(super) async fn drop(number: Option<u16>, one: &One) -> Result<(), Error> {
    let dropped =
        with_reads(&one.database, async |reads| Ok(reads.versions().drop(SHARD, one.name, number).await?))
            .await?;
    print(one, &dropped, "is dropped");
    Ok(())
}

fn print(one: &One, versions: &[Version], what: &str) {
    for version in versions {
        if one.json {
            println!("{}", list::record(version));
        } else {
            println!("{version} {what}");
        }
    }
}
