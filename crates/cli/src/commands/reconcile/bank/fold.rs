//! Fold of the log: the position at which the statements of a period were completed, then everything up to it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use daybook_domain::calendar::Day;
use daybook_domain::{BreakId, CustodyId, Event, Kind, PlatformId, TransactionId, breaks, platform};
use daybook_engine::reconciliation::{Books, Completed, Completion, Found, Period, Unknown, moves_money};
use daybook_log::postgres::PostgresLog;
use daybook_log::{KindFilter, Log, PAGE, Shard, StreamId};
use daybook_projector::RecordedEvent;
use uuid::Uuid;

use super::pack::{Pack, Tree};
use crate::error::Error;

/// Number of streams that are read at once.
const STREAMS_PER_READ: usize = 500;
/// Number of events of the account at the bank that are read at once. An event of a file has all its entries.
const EVENTS_PER_READ: u32 = 100;

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
    let nothing = || Error::Usage(format!("no statement of {} to {} is booked", period.from, period.to));
    let completed = match completed(&log, (custody, shard), period.to).await? {
        Completed::At(position) => position,
        Completed::None => return Err(nothing()),
        Completed::Booking => {
            return Err(Error::Usage("lines of a statement up to --to are being booked".to_owned()));
        }
        Completed::Unmatched => {
            return Err(Error::Usage("the matching rules have not run after the last statement".to_owned()));
        }
    };
    // The events of one commit belong together.
    let commit = log.raw_commit_of(shard, completed).await?;
    let position = commit.as_ref().map_or(completed, |commit| commit.last_position);
    let mut books = Books::new(platform, period);
    fold(&log, shard, position, &mut books).await?;
    let found = find(&log, shard, position, &books.unknown()).await?;
    let report = books.end(position, period.to, &found);
    if report.statements.rows.iter().all(|it| it.replaced_by.is_some()) {
        return Err(nothing());
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

/// State of the statements up to a day.
async fn completed(
    log: &PostgresLog,
    (custody, shard): (CustodyId, Shard),
    until: Day,
) -> Result<Completed, Error> {
    let (mut completion, mut after) = (Completion::new(until), 0);
    loop {
        let page = log.stream_page(shard, Uuid::from(custody), after, EVENTS_PER_READ).await?;
        let Some(last) = page.last() else { return Ok(completion.state()) };
        after = last.event.version;
        for recorded in &page {
            completion.add(&RecordedEvent::decode(recorded)?);
        }
    }
}

async fn fold(log: &PostgresLog, shard: Shard, end: u64, books: &mut Books) -> Result<(), Error> {
    let others = Kind::ALL.into_iter().filter(|kind| !Books::KINDS.contains(kind));
    let filter = KindFilter { kinds: others.map(Kind::code).collect(), later: vec![] };
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
    let breaks: Vec<StreamId> = unknown.breaks.iter().map(|id| Uuid::from(*id)).collect();
    for happened in events(log, shard, end, &breaks).await? {
        if let Event::Break(breaks::Event::Opened(opened)) = happened.event {
            found.breaks.insert(BreakId::from_u128(happened.key.id), (happened.position, opened));
        }
    }
    let transactions: Vec<StreamId> = unknown.transactions.iter().map(|id| Uuid::from(*id)).collect();
    for happened in events(log, shard, end, &transactions).await? {
        if let Event::Transaction(event) = &happened.event
            && moves_money(event)
        {
            let id = TransactionId::from_u128(happened.key.id);
            found.transactions.insert(id, happened.effective_at);
        }
    }
    Ok(found)
}

/// Events of streams up to a position.
async fn events(
    log: &PostgresLog,
    shard: Shard,
    end: u64,
    streams: &[StreamId],
) -> Result<Vec<RecordedEvent>, Error> {
    let mut events = vec![];
    for some in streams.chunks(STREAMS_PER_READ) {
        let from_the_first: Vec<(StreamId, u32)> = some.iter().map(|stream| (*stream, 0)).collect();
        let read = log.streams(shard, &from_the_first).await?;
        let until = read.iter().filter(|recorded| recorded.position <= end);
        events.extend(until.map(RecordedEvent::decode).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(events)
}
