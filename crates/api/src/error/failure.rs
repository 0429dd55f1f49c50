//! What broke below, as an answer: not now, or ours.

use daybook_domain::TransactionId;
use daybook_engine::SubmitError;
use daybook_engine::access::AccessError;

use super::ApiError;

impl From<SubmitError> for ApiError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(refusal) => refusal.into(),
            SubmitError::KeyUsed { original, same_payload } => {
                // An id is written in one way, whatever it names.
                let original_id = original.map(|id| TransactionId::from_u128(id).to_string());
                Self::KeyUsed { original_id, same_payload }
            }
            SubmitError::Busy => Self::busy(),
            // Both were logged where they happened; the line that is written here ties that to the request.
            SubmitError::Unavailable => Self::unavailable(&error),
            SubmitError::Failed => Self::internal(&error),
        }
    }
}

impl From<daybook_vault::Error> for ApiError {
    fn from(error: daybook_vault::Error) -> Self {
        match &error {
            daybook_vault::Error::Database(database) if database.is_transient() => Self::unavailable(&error),
            _ => Self::internal(&error),
        }
    }
}

impl From<daybook_engine::SealError> for ApiError {
    fn from(error: daybook_engine::SealError) -> Self {
        Self::internal(&error)
    }
}

impl From<daybook_projector::Error> for ApiError {
    fn from(error: daybook_projector::Error) -> Self {
        if error.is_transient() { Self::unavailable(&error) } else { Self::internal(&error) }
    }
}

impl From<AccessError> for ApiError {
    fn from(error: AccessError) -> Self {
        match &error {
            AccessError::Pg(database) if database.is_transient() => Self::unavailable(&error),
            AccessError::Pg(_) | AccessError::Corrupt => Self::internal(&error),
        }
    }
}
