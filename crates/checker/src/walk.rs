//! The walk: several threads read and check pages of rows, and one folds them in order.

use daybook_log::postgres::PostgresLog;
use daybook_log::raw::{RawCursor, TableBounds};
use daybook_log::{Error, Head, PAGE, Shard};
use daybook_proof::Frontier;
use futures::{StreamExt, TryStreamExt, stream};

use crate::attested;
use crate::{CheckedEvent, Finding, Report, Trust, Verifier};

/// Number of pages that are read and decoded ahead of the page that is folded.
const PAGES_READ_AHEAD: usize = 4;

/// Options of a walk.
#[derive(Clone, Debug)]
pub struct Walk {
    /// The shard.
    pub shard: Shard,
    /// The first position. Above 1 only a part of the log is checked, and the report says so.
    pub from: u64,
    /// True if boxes are read and compared with their hashes.
    pub boxes: bool,
    /// Data that is trusted besides the database.
    pub trust: Trust,
}

/// Verifies a log up to its present end: events, commits, tiles, trees of last entries, and the cursors of its readers.
///
/// Calls `told` after each page with the last position that was checked. Events that are appended during the walk are
/// not checked.
///
/// # Errors
///
/// [`Error`] if the database cannot be read. Then nothing is known about the log.
pub async fn walk(log: &PostgresLog, walk: Walk, told: impl FnMut(u64) + Send) -> Result<Report, Error> {
    let Walk { shard, from, boxes, trust } = walk;
    let head = log.raw_head(shard).await?;
    let extent = log.raw_extent(shard).await?;
    let start = log.raw_boundary(shard, from.saturating_sub(1)).await?;
    let frontier = frontier(log, shard, start.position).await?;
    let mut verifier = Verifier::after(start.commit_no, start.position).with_roots(shard, frontier, trust);
    // Events that were appended since the head was read have a commit by this time.
    strays(log.raw_head(shard).await?, extent, &mut verifier);
    // The end is that of the events that exist, so a head that is too large does not cause an endless walk.
    let end = head.position.min(u64::try_from(extent.last_position).unwrap_or(0));
    let verifier = verifier.with_attested(attested::wanted(log, shard, end).await?);
    let mut verifier = pages(log, (shard, boxes), verifier, (start, end, head), told).await?;
    for cursor in log.raw_cursors(shard).await? {
        if let Some(what) = wrong(log, shard, &cursor).await? {
            let position = u64::try_from(cursor.position).ok();
            verifier.note(Finding { position, place: format!("cursor {}", cursor.name), what });
        }
    }
    if let Some(tiles) = verifier.take_tiles() {
        for finding in tiles.compare(log, shard).await? {
            verifier.note(finding);
        }
    }
    if let Some(attested) = verifier.attested() {
        for finding in attested.compare(log, shard, end).await? {
            verifier.note(finding);
        }
    }
    // If there is any other finding, it says more.
    if verifier.findings().is_empty()
        && let Err(Error::Corrupt { what, .. }) = log.verify_boundaries(shard).await
    {
        verifier.note(Finding { position: None, place: "log".to_owned(), what });
    }
    let mut report = verifier.finish();
    if !boxes {
        report.unchecked.push("the boxes against their hashes".to_owned());
    } else if report.lacking_boxes > 0 {
        // The log cannot tell if their keys were destroyed as well.
        report.unchecked.push(format!("{} boxes are not there (erased or removed)", report.lacking_boxes));
    }
    Ok(report)
}

/// Reads the frontier after the commit that ends at `position` from the row of the commit.
async fn frontier(log: &PostgresLog, shard: Shard, position: u64) -> Result<Option<Frontier>, Error> {
    if position == 0 {
        return Ok(Some(Frontier::default()));
    }
    let hashes = log.raw_commit_of(shard, position).await?.and_then(|commit| commit.frontier);
    Ok(hashes.and_then(|hashes| Frontier::restore(position, hashes.as_chunks().0.to_vec()).ok()))
}

/// Folds all pages after the commit `start` up to the position `end`.
async fn pages(
    log: &PostgresLog,
    (shard, boxes): (Shard, bool),
    mut verifier: Verifier,
    (start, end, head): (Head, u64, Head),
    mut told: impl FnMut(u64) + Send,
) -> Result<Verifier, Error> {
    // Boxes can be large.
    let page = if boxes { PAGE / 5 } else { PAGE };
    let starts = (start.position..end).step_by(page as usize);
    let read = |after: u64| async move {
        let last = after.saturating_add(u64::from(page)).min(end);
        let log = log.clone();
        let check = async move {
            let mut events = Vec::with_capacity(usize::try_from(last - after).unwrap_or_default());
            log.raw_each(shard, after, last, boxes, |event| events.push(CheckedEvent::of(&event, shard)))
                .await?;
            Ok::<_, Error>((after, events))
        };
        tokio::spawn(check).await.map_err(|error| Error::Refused(Box::new(error)))?
    };
    let mut pages = stream::iter(starts).map(read).buffered(PAGES_READ_AHEAD);
    let mut commit_no = start.commit_no;
    while let Some((after, events)) = pages.try_next().await? {
        let last = after.saturating_add(u64::from(page)).min(end);
        commit_no = commits(log, shard, &mut verifier, (commit_no, last), head).await?;
        for event in &events {
            verifier.event(event);
        }
        told(last);
        tokio::task::yield_now().await;
    }
    commits(log, shard, &mut verifier, (commit_no, u64::MAX), head).await?;
    Ok(verifier)
}

/// Takes the commits after `commit_no` up to the position `last`. Returns the number of the newest one.
async fn commits(
    log: &PostgresLog,
    shard: Shard,
    verifier: &mut Verifier,
    (mut commit_no, last): (u64, u64),
    head: Head,
) -> Result<u64, Error> {
    while verifier.commits_end() < last {
        let mut page = log.raw_commits(shard, commit_no).await?;
        page.retain(|commit| commit.commit_no <= head.commit_no);
        let Some(newest) = page.last() else { break };
        commit_no = newest.commit_no;
        verifier.commits(&page);
    }
    Ok(commit_no)
}

/// Reports events and commits that are outside of the log.
fn strays(head: Head, extent: TableBounds, verifier: &mut Verifier) {
    let mut note = |position: u64, what: String| {
        verifier.note(Finding { position: Some(position), place: "log".to_owned(), what });
    };
    if extent.first_position < 0 || (extent.first_position == 0 && extent.last_position > 0) {
        note(0, format!("there is an event at position {}", extent.first_position));
    }
    if extent.first_commit < 0 || (extent.first_commit == 0 && extent.last_commit > 0) {
        note(0, format!("there is a commit {}", extent.first_commit));
    }
    if u64::try_from(extent.last_position).is_ok_and(|last| last > head.position) {
        note(
            head.position + 1,
            format!("the events continue to {}, but the commits end here", extent.last_position),
        );
    }
}

/// Returns the reason for which a cursor is not one of this log; none if it is.
async fn wrong(log: &PostgresLog, shard: Shard, cursor: &RawCursor) -> Result<Option<String>, Error> {
    let (Ok(position), Ok(commit_no)) = (u64::try_from(cursor.position), u64::try_from(cursor.commit_no))
    else {
        let what = format!("it stands at position {}, commit {}", cursor.position, cursor.commit_no);
        return Ok(Some(format!("{what}: neither can be negative")));
    };
    let head = log.raw_head(shard).await?;
    if position > head.position {
        let what = "the log was cut or restored, or the cursor is of another log";
        return Ok(Some(format!("it stands beyond the end of the log, {}: {what}", head.position)));
    }
    let commit = log.raw_boundary(shard, position).await?;
    let is_there = (commit.position, commit.commit_no) == (position, commit_no);
    let at_ms = cursor.at_us.map(|us| us / 1_000);
    let is_then = at_ms.is_none_or(|at_ms| position == 0 || at_ms == commit.recorded_at_ms);
    let what = || format!("it does not stand at the end of commit {} of this log", cursor.commit_no);
    Ok((!is_there || !is_then).then(what))
}
