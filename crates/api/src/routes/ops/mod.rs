//! Handlers for operators, one verb per file.

pub mod breaks;
pub mod custody;
pub mod files;
pub mod me;
pub mod open_items;
pub mod operations;
pub mod queued;
pub mod reconciliation;
pub mod returned;
pub mod rules;
pub mod statements;
pub mod trial_balance;

use daybook_domain::transaction::Transaction;
use daybook_domain::{Key, States, TransactionId};
use daybook_engine::DeliveryError;
use daybook_engine::access::PlatformRecord;
use daybook_engine::ops::OpsError;
use daybook_projector::Listed;

use crate::app::App;
use crate::envelope::{List, WithPosition};
use crate::error::ApiError;
use crate::page::Page;

/// Returns a page of a platform's transactions as operators see them. Transactions for which `render` returns `None`
/// are omitted.
async fn transactions<R>(
    app: &App,
    platform: &PlatformRecord,
    listed: Listed<TransactionId>,
    page: Page,
    render: impl Fn(TransactionId, &Transaction) -> Option<R>,
) -> Result<WithPosition<List<R>>, ApiError> {
    let keys: Vec<Key> = listed.items.iter().map(|id| Key::from(*id)).collect();
    let found = app.reads.aggregates().records(platform.shard, &keys).await?;
    let records = listed.items.iter().filter_map(|id| render(*id, found.transaction(*id)?)).collect();
    Ok(List { records, page, total: listed.total }.at(listed.position))
}

impl From<OpsError> for ApiError {
    fn from(error: OpsError) -> Self {
        match error {
            OpsError::File(error) => Self::invalid("file", error.to_string()),
            OpsError::Statement(error) => Self::invalid("file", error.to_string()),
            OpsError::Reads(error) => error.into(),
            OpsError::Access(error) => error.into(),
            OpsError::Vault(error) => error.into(),
            OpsError::Seal(error) => error.into(),
            OpsError::Submit(error) => error.into(),
        }
    }
}

impl From<DeliveryError> for ApiError {
    fn from(error: DeliveryError) -> Self {
        match error {
            DeliveryError::Unknown => Self::NotFound,
            DeliveryError::Reads(error) => error.into(),
            DeliveryError::Access(error) => error.into(),
            DeliveryError::Vault(error) => error.into(),
            DeliveryError::Seal(error) => error.into(),
            DeliveryError::Unfit(error) => {
                Self::Unsupported("file_unfit", format!("The file cannot be written: {error}.").into())
            }
        }
    }
}
