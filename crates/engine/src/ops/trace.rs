//! Traces: the fifteen digits that identify an outgoing entry, eight of the bank's routing number and a seven-digit
//! number.

use daybook_domain::{CustodyId, States, TransactionId};
use daybook_log::Shard;

use super::OpsError;
use crate::access::{AccessError, PlatformRecord};
use crate::engine::Engine;
use crate::process::DeliveryError;
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

/// Returns the originator: the platform's data as known to its bank. Its account is that of the custody, if one was set.
pub(crate) async fn originator(
    engine: &Engine,
    platform: &PlatformRecord,
    custody: CustodyId,
) -> Result<Originator, OriginatorError> {
    let found = engine.reads().aggregates().records(platform.shard, &[custody.into()]).await?;
    let known = engine.bank(platform.id).await?.originator(&platform.name);
    Ok(match found.custody(custody).and_then(|custody| custody.account.as_ref()) {
        Some(own) => Originator { account_num: own.as_str().to_owned(), ..known },
        None => known,
    })
}

/// The originator is not known at the moment.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OriginatorError {
    #[error(transparent)]
    Reads(#[from] daybook_projector::Error),
    #[error(transparent)]
    Access(#[from] AccessError),
}

impl From<OriginatorError> for OpsError {
    fn from(error: OriginatorError) -> Self {
        match error {
            OriginatorError::Reads(error) => error.into(),
            OriginatorError::Access(error) => error.into(),
        }
    }
}

impl From<OriginatorError> for DeliveryError {
    fn from(error: OriginatorError) -> Self {
        match error {
            OriginatorError::Reads(error) => error.into(),
            OriginatorError::Access(error) => error.into(),
        }
    }
}
