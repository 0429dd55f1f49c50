//! Body of a request for an operation.

use daybook_domain::operation::Act;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::act::{self, NewAct};
use crate::ApiError;
use crate::wire::required;
use crate::wire::text::SaidText;

/// Request for an operation: an act and its reason.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct Operate {
    #[schema(value_type = NewAct)]
    act: Option<Box<RawValue>>,
    #[schema(value_type = SaidText)]
    reason: Option<SaidText>,
}

/// A valid operation.
#[derive(Clone)]
pub struct NewOperation {
    /// Act to be executed.
    pub act: Act,
    /// Reason, to be sealed with class profile under the platform's own user.
    pub reason: String,
}

impl Operate {
    /// Parses the operation.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field; [`ApiError::NothingAt`] for a text that is not an id.
    pub fn parse(self) -> Result<NewOperation, ApiError> {
        let reason = required("reason", self.reason)?;
        let act = act::parse(&self.act.ok_or_else(|| ApiError::missing("act"))?)?;
        Ok(NewOperation { act, reason })
    }
}

#[cfg(test)]
mod tests;
