//! Import of a bundle into an empty log. The whole bundle is verified, including signatures, before anything is loaded.
//! At the end the log is read back and compared.

use std::path::Path;

use daybook_checker::{Finding, Trust, Verifier};
use daybook_log::postgres::PostgresLog;
use daybook_log::raw::{RawCommit, RawEvent};
use daybook_log::{Head, Log, PAGE, Shard};
use uuid::Uuid;

use super::Error;
use super::export::reads_back;
use super::manifest::{Manifest, Segment};
use super::segment::Rows;

/// Minimum number of events per database transaction, if there are as many.
const MIN_EVENTS_PER_TRANSACTION: u64 = 5_000;

/// Result of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Last position of the log.
    pub position: u64,
    /// Number of the newest commit.
    pub commit_no: u64,
    /// Position that an earlier, interrupted import had reached.
    pub resumed_at: u64,
}

/// Returns the shard of the log in the bundle.
///
/// # Errors
///
/// [`Error`] if the manifest cannot be read.
pub fn shard_of(folder: &Path) -> Result<Shard, Error> {
    Ok(Manifest::load(folder)?.shard)
}

/// Loads the bundle in `folder` if `trust` accepts its signatures. An interrupted import continues after the newest
/// commit; the whole bundle is verified all the same. `told` gets the position after each segment.
///
/// # Errors
///
/// [`Error`] with the segment, and the position if it is known. Nothing of a refused bundle is loaded.
pub async fn import(
    log: &PostgresLog,
    shard: Shard,
    folder: &Path,
    trust: &Trust,
    mut told: impl FnMut(u64),
) -> Result<Imported, Error> {
    let manifest = Manifest::load(folder)?;
    let log_id = manifest.log_id.parse();
    let log_id = log_id.map_err(|_| Error::Manifest("the id of the log is not valid".to_owned()))?;
    verify(&manifest, folder, shard, trust)?;
    let mut head = begin(log, shard, log_id, &manifest).await?;
    let resumed_at = head.position;
    for segment in &manifest.segments {
        // The bytes are those that were verified: the manifest has their hash.
        let rows = segment.load(folder)?;
        known(log, shard, head, &rows.commits).await?;
        head = load(log, shard, head, &rows).await?;
        told(head.position);
    }
    for segment in &manifest.segments {
        if !reads_back(log, shard, segment).await? {
            return Err(Error::Differs { file: segment.file.clone() });
        }
    }
    // A bundle does not contain the frontiers from which the tree grows. Computing them also checks every root.
    log.backfill_roots(shard).await?;
    Ok(Imported { position: head.position, commit_no: head.commit_no, resumed_at })
}

/// Checks the whole bundle like `daybook log verify`, including hashes and signatures.
fn verify(manifest: &Manifest, folder: &Path, shard: Shard, trust: &Trust) -> Result<(), Error> {
    if trust.keys.is_empty() && !trust.unsigned {
        return Err(Error::Untrusted(
            "no public key is given: name one by --key, or give --unsigned".to_owned(),
        ));
    }
    let mut verifier = Verifier::of_bundle(shard, trust.clone());
    for segment in &manifest.segments {
        let rows = segment.load(folder)?;
        verifier.page(shard, &rows.events, &rows.commits);
        if let Some(found) = verifier.findings().first() {
            return Err(content(segment, found));
        }
    }
    let report = verifier.finish();
    if let (Some(segment), Some(found)) = (manifest.segments.last(), report.findings.first()) {
        return Err(content(segment, found));
    }
    match report.findings.first().map(|found| &found.what).or(report.unchecked.first()) {
        Some(what) => Err(Error::Untrusted(what.clone())),
        None => Ok(()),
    }
}

fn content(segment: &Segment, found: &Finding) -> Error {
    Error::Content {
        file: segment.file.clone(),
        position: found.position.unwrap_or(segment.first_position),
        place: found.place.clone(),
        what: found.what.clone(),
    }
}

/// Returns the head after which to continue. An empty log takes the id of the bundle's log.
async fn begin(log: &PostgresLog, shard: Shard, log_id: Uuid, manifest: &Manifest) -> Result<Head, Error> {
    let (head, found) = (log.head(shard).await?, log.log_id(shard).await?);
    let stray = log.raw_extent(shard).await?;
    if head == Head::default() && stray.last_position == 0 {
        log.adopt(shard, log_id).await?;
        return Ok(head);
    }
    if found != log_id || head.commit_no > manifest.head.commit_no || head == Head::default() {
        return Err(Error::NotEmpty { shard, found, position: head.position });
    }
    Ok(head)
}

/// Checks that the commits which the log already has are those of the bundle. A restored log may have diverged from it.
async fn known(log: &PostgresLog, shard: Shard, head: Head, commits: &[RawCommit]) -> Result<(), Error> {
    let known = commits.partition_point(|commit| commit.commit_no <= head.commit_no);
    for expected in commits[..known].chunks(PAGE as usize) {
        let after = expected.first().map_or(0, |first| first.commit_no - 1);
        let mut found = log.raw_commits(shard, after).await?;
        found.truncate(expected.len());
        for (found, expected) in found.iter_mut().zip(expected) {
            found.frontier = None;
            if expected.root.is_none() {
                (found.root, found.signature) = (None, None);
            }
        }
        if found != expected {
            return Err(Error::NotEmpty { shard, found: log.log_id(shard).await?, position: head.position });
        }
    }
    Ok(())
}

/// Loads the commits after `head`, in batches.
async fn load(log: &PostgresLog, shard: Shard, mut head: Head, rows: &Rows) -> Result<Head, Error> {
    let known = rows.commits.partition_point(|commit| commit.commit_no <= head.commit_no);
    let mut commits: &[RawCommit] = &rows.commits[known..];
    let mut events: &[RawEvent] = behind(&rows.events, head.position);
    while !commits.is_empty() {
        let is_enough =
            |commit: &RawCommit| commit.last_position >= head.position + MIN_EVENTS_PER_TRANSACTION;
        let count = commits.iter().position(is_enough).map_or(commits.len(), |at| at + 1);
        let (batch, later) = commits.split_at(count);
        let Some(last) = batch.last() else { break };
        let left = behind(events, last.last_position);
        log.copy_in(shard, head, &events[..events.len() - left.len()], batch).await?;
        head = Head {
            commit_no: last.commit_no,
            position: last.last_position,
            recorded_at_ms: last.recorded_at_us.div_euclid(1_000),
        };
        (commits, events) = (later, left);
    }
    Ok(head)
}

fn behind(events: &[RawEvent], position: u64) -> &[RawEvent] {
    &events[events.partition_point(|event| event.position <= position)..]
}
