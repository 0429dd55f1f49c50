//! Shards that a command is about: one that an option or an id names, or all.

use std::io;

use daybook_log::postgres::PostgresLog;
use daybook_log::{Log, Shard};
use uuid::Uuid;

use crate::error::Error;

/// Returns the shard that `asked` names; without a number, all shards of `log`.
///
/// # Errors
///
/// [`Error::Usage`] if there is no such shard; or if the database is unavailable.
pub(crate) async fn chosen(log: &PostgresLog, asked: Option<Shard>) -> Result<Vec<Shard>, Error> {
    let all = log.shards().await?;
    let Some(asked) = asked else { return Ok(all) };
    require(asked, &all)?;
    Ok(vec![asked])
}

/// Returns the shard that `asked` names; without a number, the only shard of `log`.
///
/// # Errors
///
/// [`Error::Usage`] if there is no such shard, or there are several and none is named.
pub(crate) async fn only(log: &PostgresLog, asked: Option<Shard>) -> Result<Shard, Error> {
    match chosen(log, asked).await?[..] {
        [shard] => Ok(shard),
        _ => Err(Error::Usage("there are several shards: name one by --shard".to_owned())),
    }
}

/// Fails if `shard` is not one of `shards`.
pub(crate) fn require(shard: Shard, shards: &[Shard]) -> Result<(), Error> {
    if shards.contains(&shard) {
        return Ok(());
    }
    Err(Error::Usage(format!("there is no shard {shard}; see daybook shard list")))
}

/// Returns the shard that has events of `stream`; the first shard if none has.
///
/// # Errors
///
/// Fails if the database is unavailable.
pub(crate) async fn of_stream(log: &PostgresLog, stream: Uuid) -> Result<Shard, Error> {
    let shards = log.shards().await?;
    for shard in &shards {
        if !log.last(*shard, &[stream]).await?.is_empty() {
            return Ok(*shard);
        }
    }
    Ok(lowest(&shards))
}

/// Returns the first of the shards of a log.
#[allow(clippy::expect_used, reason = "the list of a log's shards is not empty")]
pub(crate) fn lowest(shards: &[Shard]) -> Shard {
    *shards.first().expect("a log has at least one shard")
}

/// Prints a heading before the text about one of several shards.
///
/// # Errors
///
/// Fails if the reader of the output is gone.
pub(crate) fn print_heading(shards: &[Shard], shard: Shard, is_json: bool) -> io::Result<()> {
    if is_json || shards.len() < 2 {
        return Ok(());
    }
    let gap = if shard == lowest(shards) { "" } else { "\n" };
    crate::say!("{gap}Shard {shard}")
}
