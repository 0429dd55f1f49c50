//! Booking: one step books one page of the lines of an accepted statement, or takes back all lines of a replaced one.
//! Processes may do the same step at once; the log takes it once.

use daybook_domain::breaks::unmatch::UnmatchLine;
use daybook_domain::custody::{Booked, Line};
use daybook_domain::statement::Statement;
use daybook_domain::statement::book::{BookLines, MAX_LINES_AT_ONCE};
use daybook_domain::statement::take_back::TakeBackLines;
use daybook_domain::{
    Actor, BreakId, CustodyId, Key, Origin, Refusal, StatementId, States, TransactionId, breaks, statement,
};
use daybook_log::Shard;
use futures::stream::{self, StreamExt, TryStreamExt};

use super::keep;
use crate::access::PlatformRecord;
use crate::batch::{Call, Submitted};
use crate::contents::StatementLine;
use crate::engine::Engine;
use crate::error::SubmitError;
use crate::ops::{OpsError, trace};
use crate::rails::Originator;

/// Number of references looked up concurrently.
const REFERENCES_PER_QUERY: usize = 16;

/// Outcome of a step.
pub(crate) enum BookingStep {
    /// The last commit of the step.
    Booked(Submitted),
    /// All lines are booked already.
    Completed,
    /// No statement has this id, or its lines are gone.
    Missing,
}

/// Books the next page of a statement's lines, or takes back the lines of a replaced statement.
///
/// # Errors
///
/// [`OpsError`]; refused with [`NotNext`](daybook_domain::statement::Refusal::NotNext) while an earlier statement has
/// lines to book.
pub(crate) async fn step(
    engine: &Engine,
    shard: Shard,
    call: Call,
    id: StatementId,
) -> Result<BookingStep, OpsError> {
    let found = engine.reads().aggregates().records(shard, &[id.into()]).await?;
    let Some(statement) = found.statement(id).cloned() else { return Ok(BookingStep::Missing) };
    if statement.is_completed() {
        return Ok(BookingStep::Completed);
    }
    if statement.replaced_by.is_some() {
        return take_back(engine, shard, call, id).await;
    }
    let platform = engine.access().platform(statement.platform).await?;
    let Some(platform) = platform else { return Ok(BookingStep::Missing) };
    let Some(lines) = next(engine, shard, (id, &statement)).await? else {
        return Ok(BookingStep::Missing);
    };
    let originator = trace::originator(engine, &platform, statement.custody).await?;
    let matching = Matching { engine, platform: &platform, custody: statement.custody, originator };
    let lookups: Vec<_> = lines.iter().map(|line| matching.line(line)).collect();
    let lines = stream::iter(lookups).buffered(REFERENCES_PER_QUERY).try_collect().await?;
    let origin = Origin::of(Actor::Bank);
    let book = BookLines { statement: id, first: statement.booked, lines, origin };
    Ok(BookingStep::Booked(engine.submit(call, book).await?))
}

/// Takes back the booked lines of a statement, the last page first. The lines are read once for all pages.
async fn take_back(
    engine: &Engine,
    shard: Shard,
    call: Call,
    id: StatementId,
) -> Result<BookingStep, OpsError> {
    let mut booked = engine.booked_lines(shard, id).await?;
    unmatch(engine, shard, &call, (id, &booked)).await?;
    let mut step = BookingStep::Completed;
    while let Some(last) = booked.len().checked_sub(1) {
        let first = last - last % MAX_LINES_AT_ONCE as usize;
        let lines = booked.split_off(first);
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        let back = TakeBackLines { statement: id, first, lines, origin: Origin::of(Actor::Bank) };
        step = BookingStep::Booked(engine.submit(call.clone(), back).await?);
    }
    Ok(step)
}

/// Takes back the matches of the lines of a statement: a matched line cannot be taken back.
async fn unmatch(
    engine: &Engine,
    shard: Shard,
    call: &Call,
    (id, booked): (StatementId, &[Booked]),
) -> Result<(), OpsError> {
    let suspended = (0..).zip(booked).filter(|(_, line)| line.explains.is_none() && line.amount != 0);
    let breaks: Vec<BreakId> = suspended.map(|(number, _)| BreakId::of(id, number)).collect();
    for some in breaks.chunks(MAX_LINES_AT_ONCE as usize) {
        let keys: Vec<Key> = some.iter().map(|id| Key::from(*id)).collect();
        let found = engine.reads().aggregates().records(shard, &keys).await?;
        for of in some {
            let Some(line) = found.line_break(*of).filter(|line| !line.matches.is_empty()) else { continue };
            for matched in engine.matches(shard, *of).await?.into_iter().rev() {
                let (platform, origin) = (line.platform, Origin::of(Actor::Bank));
                let end = UnmatchLine { id: *of, platform, matched, origin };
                match engine.submit(call.clone(), end).await {
                    Ok(_) => {}
                    // Another process, or an operator, took the match back.
                    Err(SubmitError::Refused(Refusal::Break(breaks::Refusal::NoMatch))) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
    Ok(())
}

/// Returns true if an earlier statement of the account has lines to book.
pub(crate) fn is_not_next(error: &OpsError) -> bool {
    let not_next = Refusal::Statement(statement::Refusal::NotNext);
    matches!(error, OpsError::Submit(SubmitError::Refused(refusal)) if *refusal == not_next)
}

/// Returns the next lines of a statement. A page that is booked in part, by an older page size, goes on where it ended.
async fn next(
    engine: &Engine,
    shard: Shard,
    (id, statement): (StatementId, &Statement),
) -> Result<Option<Vec<StatementLine>>, OpsError> {
    let number = statement.booked / MAX_LINES_AT_ONCE;
    let page = keep::page(engine, shard, id, number).await?;
    let done = (statement.booked % MAX_LINES_AT_ONCE) as usize;
    Ok(page.map(|mut lines| lines.split_off(done.min(lines.len()))))
}

/// Matching of lines with transactions by their references.
struct Matching<'a> {
    engine: &'a Engine,
    platform: &'a PlatformRecord,
    custody: CustodyId,
    originator: Originator,
}

impl Matching<'_> {
    /// Matches a line with the transaction that its references name, by id or by trace. References to different
    /// transactions match none.
    async fn line(&self, line: &StatementLine) -> Result<Line, OpsError> {
        let mut named: Option<TransactionId> = None;
        let mut is_unique = true;
        for reference in &line.references {
            if let Some(found) = self.transaction(reference.trim()).await? {
                is_unique &= named.is_none_or(|named| named == found);
                named = Some(found);
            }
        }
        Ok(Line { id: line.id.clone(), amount: line.amount, transaction: named.filter(|_| is_unique) })
    }

    async fn transaction(&self, reference: &str) -> Result<Option<TransactionId>, OpsError> {
        match (reference.parse().ok(), trace::number(reference, &self.originator)) {
            (Some(id), _) => Ok(Some(id)),
            (None, Some(number)) => {
                trace::transaction(self.engine, self.platform.shard, self.custody, number).await
            }
            (None, None) => Ok(None),
        }
    }
}
