//! Fold of the log: the position at which the statements of a period were completed, then everything up to it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use daybook_domain::{BreakId, CustodyId, Event, Kind, PlatformId, TransactionId, breaks, platform};
use daybook_engine::reconciliation::{Books, Found, Period, Unknown, moves_money};
use daybook_log::postgres::PostgresLog;
use daybook_log::{KindFilter, Log, PAGE, Shard, StreamId};
use daybook_projector::RecordedEvent;
use uuid::Uuid;

use super::completions::{Completions, completions, not_stated};
use super::pack::{Pack, Tree};
use crate::error::Error;

/// Number of streams that are read at once.
const STREAMS_PER_READ: usize = 500;

/// Returns the reconciliation of a platform.
///
/// # Errors
///
/// [`Error::Usage`] if the bank stated no day of the period, or the matching rules have not run since; or if the log cannot be
/// read.
pub(super) async fn pack(
    log: &PostgresLog,
    (platform, shard): (PlatformId, Shard),
    period: Period,
) -> Result<Pack, Error> {
    let log = log.clone().omit_boxes_of(&Books::KINDS.map(Kind::code));
    let custody = custody(&log, (platform, shard)).await?;
    let Completions { before, end, stated_until } = completions(&log, (custody, shard), period).await?;
    // The events of one commit belong together.
    let commit = log.raw_commit_of(shard, end).await?;
    let position = commit.as_ref().map_or(end, |commit| commit.last_position);
    let before = match before {
        0 => 0,
        before => log.raw_commit_of(shard, before).await?.map_or(before, |commit| commit.last_position),
    };
    let mut books = Books::new(platform, period, before);
    fold(&log, shard, position, &mut books).await?;
    let found = find(&log, shard, position, &books.unknown()).await?;
    let report = books.end(position, (period.to, stated_until), &found);
    if report.statements.rows.iter().all(|it| it.replaced_by.is_some()) {
        return Err(not_stated(period));
    }
    let root = commit.and_then(|commit| commit.root).map(|root| STANDARD.encode(root));
    Ok(Pack { report, tree: Tree { size: position, root } })
}

/// The platform's account at its bank.
async fn custody(log: &PostgresLog, (id, shard): (PlatformId, Shard)) -> Result<CustodyId, Error> {
    let first = log.stream_page(shard, Uuid::from(id), 0, 1).await?;
    let opened = first.first().map(RecordedEvent::decode).transpose()?;
    match opened.map(|opened| opened.event) {
        Some(Event::Platform(platform::Event::Opened(opened))) => Ok(CustodyId::of(id, opened.bank)),
        _ => Err(Error::Usage("the log does not have the platform".to_owned())),
    }
}

async fn fold(log: &PostgresLog, shard: Shard, end: u64, books: &mut Books) -> Result<(), Error> {
    let filter = KindFilter { kinds: Kind::codes_except(&Books::KINDS), later: vec![] };
    let mut after = 0;
    while after < end {
        for recorded in &log.read_filtered(shard, after, end, &filter).await? {
            books.add(&RecordedEvent::decode(recorded)?);
        }
        after = after.saturating_add(u64::from(PAGE)).min(end);
    }
    Ok(())
}

/// Finds the parts of records that the fold does not keep, as of a position.
async fn find(log: &PostgresLog, shard: Shard, end: u64, unknown: &Unknown) -> Result<Found, Error> {
    let mut found = Found::default();
    let streams = unknown.breaks.iter().map(|id| Uuid::from(*id));
    let streams: Vec<StreamId> =
        streams.chain(unknown.transactions.iter().map(|id| Uuid::from(*id))).collect();
    for some in streams.chunks(STREAMS_PER_READ) {
        let from_the_first: Vec<(StreamId, u32)> = some.iter().map(|stream| (*stream, 0)).collect();
        for recorded in log.streams(shard, &from_the_first).await? {
            if recorded.position <= end {
                keep(&mut found, RecordedEvent::decode(&recorded)?);
            }
        }
    }
    Ok(found)
}

/// Keeps the part of an event that the report needs.
fn keep(found: &mut Found, happened: RecordedEvent) {
    let (id, position, at) = (happened.key.id, happened.position, happened.effective_at);
    match happened.event {
        Event::Break(breaks::Event::Opened(opened)) => {
            found.breaks.insert(BreakId::from_u128(id), (position, opened));
        }
        Event::Transaction(event) if moves_money(&event) => {
            found.transactions.insert(TransactionId::from_u128(id), at);
        }
        _ => {}
    }
}
