//! Traces: the fifteen digits that identify an outgoing entry, eight of the bank's routing number and a seven-digit
//! number.

use daybook_domain::{CustodyId, TransactionId};
use daybook_log::Shard;

use super::OpsError;
use crate::access::PlatformRecord;
use crate::engine::Engine;
use crate::rails::Originator;

/// Returns the number in a trace that `originator` assigned, or none for any other trace.
pub(crate) fn number(trace: &str, originator: &Originator) -> Option<u32> {
    let (bank, number) = trace.split_at_checked(8)?;
    let number: u32 = number.parse().ok()?;
    (originator.trace(number).is_ok_and(|ours| ours == trace) && originator.routing_num.starts_with(bank))
        .then_some(number)
}

/// Returns the transaction whose entry has this trace number. Numbers are reused one day, so the newest transaction
/// counts.
pub(crate) async fn transaction(
    engine: &Engine,
    shard: Shard,
    custody: CustodyId,
    number: u32,
) -> Result<Option<TransactionId>, OpsError> {
    Ok(engine.reads().lists().transaction_of_trace(shard, custody, number).await?)
}

/// Returns the originator: the platform's data as known to its bank.
pub(crate) async fn originator(engine: &Engine, platform: &PlatformRecord) -> Result<Originator, OpsError> {
    Ok(engine.bank(platform.id).await?.originator(&platform.name))
}
