//! Matching of lines in suspense: gathers lines, open items and files, runs the rules of the custody, and submits a command
//! for each match. Processes may run it at once: a match that another process made is refused and left out.

pub(super) mod batches;
pub(super) mod input;
mod patterns;

use daybook_domain::custody::rules::EndMatching;
use daybook_domain::custody::{Custody, Rules};
use daybook_domain::matching::{self, Input, Match, Outcome};
use daybook_domain::{CustodyId, PlatformId, States};
use daybook_log::Shard;
use futures::stream::{self, StreamExt, TryStreamExt};
pub use patterns::Patterns;

use crate::access::PlatformRecord;
use crate::batch::{Call, Submitted};
use crate::engine::Engine;
use crate::error::SubmitError;
use crate::ops::OpsError;
use crate::statements::intake::aside;

/// Number of matches made concurrently. The writer commits waiting commands together.
const MATCHES_AT_ONCE: usize = 64;

/// Lines in suspense with the answers of a rule set.
#[derive(Debug)]
pub struct Candidates {
    /// Lines and open items.
    pub input: Input,
    /// Matches and suggestions.
    pub outcome: Outcome,
}

impl Engine {
    /// Tries a rule set on the lines in suspense of a platform, and changes nothing. Without a set, the rules of the
    /// platform's custody are tried.
    ///
    /// # Errors
    ///
    /// Fails if the read models, the log or the vault are unavailable.
    pub async fn candidates(
        &self,
        platform: &PlatformRecord,
        rules: Option<Rules>,
    ) -> Result<(Rules, Candidates), OpsError> {
        let custody = self.custody(platform.shard, platform.id).await?;
        let rules = match rules {
            Some(rules) => rules,
            None => self.rules_of(platform.shard, custody).await?,
        };
        let tried = attempt(self, platform, custody, &rules).await?;
        Ok((rules, tried))
    }

    /// Returns the matching rules of a custody.
    ///
    /// # Errors
    ///
    /// Fails if the read models are unavailable.
    pub async fn rules_of(&self, shard: Shard, custody: CustodyId) -> Result<Rules, OpsError> {
        let found = self.reads().aggregates().records(shard, &[custody.into()]).await?;
        Ok(found.custody(custody).map_or_else(Rules::built_in, Custody::rules))
    }
}

/// Tries a rule set on the lines in suspense.
async fn attempt(
    engine: &Engine,
    platform: &PlatformRecord,
    custody: CustodyId,
    rules: &Rules,
) -> Result<Candidates, OpsError> {
    let input = input::gather(engine, platform, custody, rules.set.clone()).await?;
    let set = rules.set.clone();
    aside(move || Candidates { outcome: matching::run(&input, &set), input }).await
}

/// Runs the rules of a custody and records the matches, then the end of the run. Returns the last commit; `None` if no
/// run is due.
///
/// # Errors
///
/// [`OpsError`].
pub(crate) async fn run(
    engine: &Engine,
    shard: Shard,
    call: Call,
    id: CustodyId,
) -> Result<Option<Submitted>, OpsError> {
    let found = engine.reads().aggregates().records(shard, &[id.into()]).await?;
    let is_due = |it: &&Custody| it.runs_done < it.runs_due && it.booking.is_empty();
    let Some(custody) = found.custody(id).filter(is_due) else { return Ok(None) };
    let Some(platform) = engine.access().platform(custody.platform).await? else { return Ok(None) };
    let rules = custody.rules();
    let tried = attempt(engine, &platform, id, &rules).await?;
    let matches = tried.outcome.matches.iter();
    let made: Vec<_> = matches.map(|found| make(engine, &call, platform.id, found, &rules)).collect();
    let made: Vec<bool> = stream::iter(made).buffered(MATCHES_AT_ONCE).try_collect().await?;
    let count = |count| u32::try_from(count).unwrap_or(u32::MAX);
    let matched = count(made.into_iter().filter(|is_made| *is_made).count());
    let left = count(tried.input.lines.len()).saturating_sub(matched);
    let end = EndMatching { custody: id, due: custody.runs_due, version: rules.version, matched, left };
    Ok(Some(engine.submit(call, end).await?))
}

/// Makes a match. Returns false if it is refused, because the line or an item changed meanwhile.
async fn make(
    engine: &Engine,
    call: &Call,
    platform: PlatformId,
    found: &Match,
    rules: &Rules,
) -> Result<bool, OpsError> {
    for command in found.commands(platform, rules) {
        match engine.submit(call.clone(), command).await {
            Ok(_) => {}
            Err(SubmitError::Refused(refusal)) => {
                // Mostly the line or an item changed since it was read. Other matches go on in any case.
                tracing::info!(%refusal, line = %found.line, "a match was refused");
                return Ok(false);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}
