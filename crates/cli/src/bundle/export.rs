//! Export of the log to a bundle, one segment after the other. Finished segments survive an interruption.

use std::fs;
use std::path::Path;

use daybook_log::postgres::PostgresLog;
use daybook_log::raw::RawCommit;
use daybook_log::{Log, PAGE, Shard};

use super::Error;
use super::manifest::{self, FINISHED, Head, Manifest, PARTIAL_SUFFIX, Segment, UNFINISHED};
use super::segment::{Rows, compress, lines, sha256};

/// Parameters of an export.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// True to replace an existing bundle.
    pub force: bool,
    /// Number of events after which a segment ends. It ends with a whole commit.
    pub segment: u64,
    /// Number of bytes of boxes after which a segment ends. A segment is held in memory.
    pub boxes: u64,
}

/// Writes the log up to its current head to the folder. An interrupted export of the same log is completed: then the
/// bundle ends at the head of the time at which that export began. `told` gets the position after each segment.
///
/// # Errors
///
/// [`Error::Occupied`] if the folder contains something else and the plan does not permit replacing it.
pub async fn export(
    log: &PostgresLog,
    shard: Shard,
    plan: Plan<'_>,
    mut told: impl FnMut(u64),
) -> Result<Manifest, Error> {
    let Plan { folder, force, segment, boxes } = plan;
    fs::create_dir_all(folder)?;
    let log_id = log.log_id(shard).await?.to_string();
    let mut manifest = if let Some(manifest) = resumable(folder, &log_id, force)? {
        // A restored database keeps the id of its log, but its history may have diverged.
        if let Some(last) = manifest.segments.last()
            && !reads_back(log, shard, last).await?
        {
            return Err(Error::Other(folder.to_owned()));
        }
        manifest
    } else {
        let head = log.head(shard).await?;
        Manifest::new(shard, log_id, Head { position: head.position, commit_no: head.commit_no })
    };
    manifest.store(folder, UNFINISHED)?;
    loop {
        let end = manifest.segments.last().map_or((0, 0), |last| (last.last_position, last.last_commit));
        if end.1 >= manifest.head.commit_no {
            break;
        }
        let mut commits = commits(log, shard, end, (manifest.head.commit_no, segment)).await?;
        if let Some(filled) = log.raw_filled(shard, end.0, last_of(&commits), boxes).await? {
            let whole = commits.partition_point(|commit| commit.last_position < filled) + 1;
            commits.truncate(whole);
        }
        let last = last_of(&commits).max(end.0);
        let number = manifest.segments.len() + 1;
        let segment = write(log, shard, folder, number, (end.0, last), commits).await?;
        manifest.segments.push(segment);
        manifest.store(folder, UNFINISHED)?;
        told(last);
    }
    manifest.store(folder, FINISHED)?;
    fs::remove_file(folder.join(UNFINISHED))?;
    Ok(manifest)
}

fn last_of(commits: &[RawCommit]) -> u64 {
    commits.last().map_or(0, |commit| commit.last_position)
}

/// Returns true if the log still contains the events of a segment: they give the same lines.
pub(super) async fn reads_back(log: &PostgresLog, shard: Shard, segment: &Segment) -> Result<bool, Error> {
    let mut commits: Vec<RawCommit> = vec![];
    let mut after = segment.first_commit - 1;
    while after < segment.last_commit {
        let mut page = log.raw_commits(shard, after).await?;
        page.retain(|commit| commit.commit_no <= segment.last_commit);
        let Some(last) = page.last() else { break };
        after = last.commit_no;
        commits.extend(page);
    }
    if (after, last_of(&commits)) != (segment.last_commit, segment.last_position) {
        return Ok(false);
    }
    let range = (segment.first_position - 1, segment.last_position);
    let plain = lines(rows(log, shard, range, commits).await?)?;
    Ok(sha256(&plain) == segment.plain_sha256)
}

/// The manifest of an interrupted export of this log. `None` if the folder is empty, or was emptied.
fn resumable(folder: &Path, log_id: &str, force: bool) -> Result<Option<Manifest>, Error> {
    let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let names: Vec<String> = names.collect::<Result<_, Error>>()?;
    // A file that was being written when the process was killed contains nothing.
    let is_empty = names.iter().all(|name| is_ours(name) && name.ends_with(PARTIAL_SUFFIX));
    if !force && !is_empty {
        let occupied = || Error::Occupied(folder.to_owned());
        if folder.join(FINISHED).exists() {
            return Err(occupied());
        }
        let unfinished = Manifest::find(folder, UNFINISHED)?.filter(|it| it.log_id == log_id);
        let mut manifest = unfinished.ok_or_else(occupied)?;
        // The first damaged segment and all later ones are written again.
        let good = manifest.segments.iter().take_while(|it| it.load(folder).is_ok()).count();
        manifest.segments.truncate(good);
        return Ok(Some(manifest));
    }
    for name in names.iter().filter(|name| is_ours(name)) {
        fs::remove_file(folder.join(name))?;
    }
    Ok(None)
}

/// Returns true if an export creates files with such names.
fn is_ours(name: &str) -> bool {
    let name = name.strip_suffix(PARTIAL_SUFFIX).unwrap_or(name);
    let number = name.strip_prefix("segment-").and_then(|rest| rest.strip_suffix(".ndjson.zst"));
    let is_segment = number.is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
    is_segment || [FINISHED, UNFINISHED].contains(&name)
}

/// Reads the commits of the segment that begins after `(position, commit_no)`.
async fn commits(
    log: &PostgresLog,
    shard: Shard,
    (position, mut commit_no): (u64, u64),
    (head, segment): (u64, u64),
) -> Result<Vec<RawCommit>, Error> {
    let mut commits: Vec<RawCommit> = vec![];
    loop {
        let page = log.raw_commits(shard, commit_no).await?;
        if page.is_empty() {
            let what = format!("commit {} is missing", commit_no + 1);
            return Err(daybook_log::Error::Corrupt { position, what }.into());
        }
        for commit in page {
            commit_no = commit.commit_no;
            let is_full = commit.last_position.saturating_sub(position) >= segment;
            commits.push(commit);
            if is_full || commit_no >= head {
                return Ok(commits);
            }
        }
    }
}

/// Reads the events at the positions `after + 1 ..= last`, and returns them with their commits.
pub(super) async fn rows(
    log: &PostgresLog,
    shard: Shard,
    (mut after, last): (u64, u64),
    commits: Vec<RawCommit>,
) -> Result<Rows, Error> {
    let mut events = vec![];
    while after < last {
        // Boxes can be large, so pages are smaller.
        let up_to = (after + u64::from(PAGE / 5)).min(last);
        let page = log.raw_events(shard, after, up_to, true).await?;
        if page.len() as u64 != up_to - after {
            let what = "a position is missing; daybook log verify shows it".to_owned();
            return Err(daybook_log::Error::Corrupt { position: after, what }.into());
        }
        events.extend(page);
        after = up_to;
    }
    Ok(Rows { events, commits })
}

async fn write(
    log: &PostgresLog,
    shard: Shard,
    folder: &Path,
    number: usize,
    (after, last): (u64, u64),
    commits: Vec<RawCommit>,
) -> Result<Segment, Error> {
    let ends = [commits.first(), commits.last()].map(|commit| commit.map_or(0, |commit| commit.commit_no));
    let plain = lines(rows(log, shard, (after, last), commits).await?)?;
    let packed = compress(&plain)?;
    let file = format!("segment-{number:06}.ndjson.zst");
    manifest::write(folder, &file, &packed)?;
    Ok(Segment {
        file,
        first_position: after + 1,
        last_position: last,
        first_commit: ends[0],
        last_commit: ends[1],
        bytes: packed.len() as u64,
        sha256: sha256(&packed),
        plain_bytes: plain.len() as u64,
        plain_sha256: sha256(&plain),
    })
}
