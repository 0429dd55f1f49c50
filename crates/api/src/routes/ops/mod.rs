//! Handlers of ops: what operators call, one verb a file.

pub mod custody;
pub mod files;
pub mod me;
pub mod open_items;
pub mod operations;
pub mod queued;
pub mod returned;
pub mod statements;
pub mod trial_balance;

use daybook_engine::DeliveryError;
use daybook_engine::ops::OpsError;

use crate::error::ApiError;

impl From<OpsError> for ApiError {
    fn from(error: OpsError) -> Self {
        match error {
            OpsError::File(error) => Self::invalid("file", error.to_string()),
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
