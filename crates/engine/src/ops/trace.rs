//! Traces: fifteen digits that we gave an entry, the bank's first eight and a number of ours.

use daybook_domain::{CustodyId, TransactionId};
use daybook_log::Shard;

use super::OpsError;
use crate::access::PlatformRecord;
use crate::engine::Engine;
use crate::rails::Originator;

/// The number in a trace of `originator`'s; none if somebody else gave it.
pub(super) fn number(trace: &str, originator: &Originator) -> Option<u32> {
    let (bank, number) = trace.split_at_checked(8)?;
    let number: u32 = number.parse().ok()?;
    (originator.trace(number).is_ok_and(|ours| ours == trace) && originator.routing_num.starts_with(bank))
        .then_some(number)
}

/// The transaction whose entry has this trace at the bank; of several, as numbers begin again one day, the newest.
pub(super) async fn transaction(
    engine: &Engine,
    shard: Shard,
    custody: CustodyId,
    number: u32,
) -> Result<Option<TransactionId>, OpsError> {
    Ok(engine.reads().lists().transaction_of_trace(shard, custody, number).await?)
}

/// Who sends, as the platform's bank knows it.
pub(super) async fn originator(engine: &Engine, platform: &PlatformRecord) -> Result<Originator, OpsError> {
    Ok(engine.bank(platform.id).await?.originator(&platform.name))
}
