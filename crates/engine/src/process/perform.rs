//! Execution of to-dos: gathers the data for a to-do's command, and submits the command.

use daybook_domain::evidence::destroy::DestroyEvidence;
use daybook_domain::process::Process;
use daybook_domain::process::settlement::RECHECK_QUEUED;
use daybook_domain::transaction::advance::{Advance, Step};
use daybook_domain::transaction::queue::Release;
use daybook_domain::{
    Command, CustodyId, EvidenceId, Origin, StatementId, States, Timestamp, TransactionId, UserId,
};
use daybook_log::Shard;
use daybook_projector::Due;
use futures::stream::{self, StreamExt};

use super::outcome::{ToDoError, ToDoResult, submit};
use super::{delivery, sandbox_statement, submission, verification};
use crate::batch::Call;
use crate::engine::Engine;
use crate::statements::{self, BookingStep};

/// Executes the to-dos that are due at `now`, `at_once` of them concurrently.
pub(super) async fn all(
    engine: &Engine,
    shard: Shard,
    process: Process,
    now: Timestamp,
    work: Vec<Due>,
    at_once: usize,
) -> Vec<ToDoResult> {
    if process == Process::Submission {
        return submission::cut(engine, shard, now, &work).await;
    }
    let one = async |due: Due| (due.id, perform(engine, shard, process, now, due).await);
    stream::iter(work).map(one).buffer_unordered(at_once).collect().await
}

async fn perform(
    engine: &Engine,
    shard: Shard,
    process: Process,
    now: Timestamp,
    due: Due,
) -> Result<u64, ToDoError> {
    match process {
        Process::Settlement if due.step == RECHECK_QUEUED => release(engine, shard, due.id).await,
        Process::Release => release(engine, shard, due.id).await,
        Process::Settlement => advance(engine, shard, due).await,
        Process::Verification => verification::check(engine, shard, UserId::from_u128(due.id)).await,
        Process::Delivery => delivery::deliver(engine, shard, CustodyId::from_u128(due.id)).await,
        Process::Statement => {
            sandbox_statement::state(engine, shard, now, CustodyId::from_u128(due.id)).await
        }
        Process::Retention => destroy(engine, shard, EvidenceId::from_u128(due.id)).await,
        Process::Booking => book(engine, shard, StatementId::from_u128(due.id)).await,
        Process::Matching => match_breaks(engine, shard, CustodyId::from_u128(due.id)).await,
        // Submissions are cut together, above.
        Process::Submission => Err(ToDoError::MissingAggregate),
    }
}

async fn advance(engine: &Engine, shard: Shard, due: Due) -> Result<u64, ToDoError> {
    let id = TransactionId::from_u128(due.id);
    let step = Step::from_code(due.step).ok_or(ToDoError::MissingAggregate)?;
    let advance =
        |waits_for_bank| Command::Advance(Advance { id, step, waits_for_bank, origin: Origin::PROCESS });
    let done = engine.submit(Call::of(shard), advance(true)).await?;
    // Most transactions use no rail. The bank is asked only if the ledger waits for it.
    let waits =
        done.transaction(id).filter(|transaction| done.events.is_empty() && transaction.waits_for_bank());
    let Some(transaction) = waits else { return Ok(done.position) };
    if !engine.bank(transaction.platform).await?.confirms() {
        return Err(ToDoError::NotReady);
    }
    submit(engine, shard, advance(false)).await
}

/// Books the next lines of a statement.
async fn book(engine: &Engine, shard: Shard, id: StatementId) -> Result<u64, ToDoError> {
    match statements::step(engine, shard, Call::of(shard), id).await {
        Ok(BookingStep::Booked(done)) if !done.events.is_empty() => Ok(done.position),
        // An earlier statement of the account has lines to book, or another process was faster.
        Ok(BookingStep::Booked(_) | BookingStep::Completed) => Err(ToDoError::NotReady),
        Ok(BookingStep::Missing) => Err(ToDoError::MissingAggregate),
        Err(error) if statements::is_not_next(&error) => Err(ToDoError::NotReady),
        Err(error) => Err(error.into()),
    }
}

/// Tries the matching rules of a custody on its lines in suspense.
async fn match_breaks(engine: &Engine, shard: Shard, id: CustodyId) -> Result<u64, ToDoError> {
    match statements::match_breaks(engine, shard, Call::of(shard), id).await? {
        Some(done) if !done.events.is_empty() => Ok(done.position),
        // Another process was faster.
        Some(_) | None => Err(ToDoError::NotReady),
    }
}

/// Records that the retention of evidence has ended, and destroys the keys. After a crash in between, the eraser of any
/// process destroys them.
async fn destroy(engine: &Engine, shard: Shard, id: EvidenceId) -> Result<u64, ToDoError> {
    let done = engine.submit(Call::of(shard), DestroyEvidence { id }).await?;
    if done.events.is_empty() {
        return Err(ToDoError::NotReady);
    }
    engine.destroy(shard, &[id.into()]).await?;
    Ok(done.position)
}

async fn release(engine: &Engine, shard: Shard, id: u128) -> Result<u64, ToDoError> {
    let release = Release { id: TransactionId::from_u128(id), platform: None, origin: Origin::PROCESS };
    let done = engine.submit(Call::of(shard), release).await?;
    // Another cause still holds the transaction: nothing was recorded, and the to-do stays.
    if done.events.is_empty() { Err(ToDoError::NotReady) } else { Ok(done.position) }
}
