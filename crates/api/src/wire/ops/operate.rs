//! The body that asks for an operation.

use daybook_domain::operation::Act;
use serde::Deserialize;
use utoipa::ToSchema;

use super::act::ActIn;
use crate::ApiError;
use crate::wire::required;
use crate::wire::text::Text;

/// The body.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct Operate {
    act: Option<ActIn>,
    reason: Option<Text>,
}

/// An operation, well formed.
#[derive(Clone)]
pub struct NewOperation {
    /// What shall be done.
    pub act: Act,
    /// To be sealed with class profile, under the platform's own user.
    pub reason: String,
}

impl Operate {
    /// Checks that everything is there and within its range.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field; [`ApiError::NotFound`] for what is no id.
    pub fn parse(self) -> Result<NewOperation, ApiError> {
        let reason = required("reason", self.reason)?;
        let act = self.act.ok_or_else(|| ApiError::missing("act"))?.parse()?;
        Ok(NewOperation { act, reason })
    }
}

#[cfg(test)]
mod tests;
