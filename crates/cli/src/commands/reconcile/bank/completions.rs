//! Positions at which the statements of a period, and those before it, were completed.

use std::collections::BTreeMap;

use daybook_domain::calendar::Day;
use daybook_domain::{Currency, CustodyId};
use daybook_engine::reconciliation::{Completed, Completion, Period};
use daybook_log::{Log, Shard};
use daybook_projector::RecordedEvent;
use uuid::Uuid;

use crate::error::Error;

/// Number of events of the account at the bank that are read at once. An event of a file has all its entries.
const EVENTS_PER_READ: u32 = 100;

/// Positions of an account at a bank, and the newest days that the bank has stated.
pub(super) struct Completions {
    /// Position at which the statements before the period were completed; 0 if there is none.
    pub(super) before: u64,
    /// Position at which those up to the last day of the period were completed.
    pub(super) end: u64,
    /// Newest day that the bank has stated in each currency.
    pub(super) stated_until: BTreeMap<Currency, Day>,
}

/// Finds the positions of a period.
///
/// # Errors
///
/// [`Error::Usage`] if the bank stated no day up to the end of the period, or the matching rules have not run since.
pub(super) async fn completions(
    log: &dyn Log,
    (custody, shard): (CustodyId, Shard),
    period: Period,
) -> Result<Completions, Error> {
    let wrong = |reason: &str| Err(Error::Usage(reason.to_owned()));
    let [before, until] = account(log, (custody, shard), period).await?;
    let end = match until.state() {
        Completed::At(position) => position,
        Completed::None => return Err(not_stated(period)),
        Completed::Booking => return wrong("lines of a statement up to --to are being booked"),
        Completed::Unmatched => return wrong("the matching rules have not run after the last statement"),
    };
    let before = match before.state() {
        Completed::At(position) => position,
        Completed::None | Completed::Booking | Completed::Unmatched => 0,
    };
    Ok(Completions { before, end, stated_until: until.stated_until().clone() })
}

/// The error for a period without a statement.
pub(super) fn not_stated(period: Period) -> Error {
    Error::Usage(format!("no statement of {} to {} is booked", period.from, period.to))
}

/// Folds of the account's events: for the statements before a period, and for those up to its last day.
async fn account(
    log: &dyn Log,
    (custody, shard): (CustodyId, Shard),
    period: Period,
) -> Result<[Completion; 2], Error> {
    let (mut both, mut after) = ([period.from.plus_days(-1), period.to].map(Completion::new), 0);
    loop {
        let page = log.stream_page(shard, Uuid::from(custody), after, EVENTS_PER_READ).await?;
        let Some(last) = page.last() else { return Ok(both) };
        after = last.event.version;
        for recorded in &page {
            let happened = RecordedEvent::decode(recorded)?;
            for completion in &mut both {
                completion.add(&happened);
            }
        }
    }
}
