//! Body of a request that simulates an external transfer to or from a node.

use daybook_domain::Money;
use serde::Deserialize;
use utoipa::ToSchema;

use super::create::note;
use crate::ApiError;
use crate::description::values::Note;
use crate::wire::amount::AmountIn;
use crate::wire::text::Text;

/// Request to simulate an external transfer.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct Receive {
    amount: AmountIn,
    #[schema(value_type = Option<Note>)]
    note: Option<Text>,
}

/// A valid external transfer.
#[derive(Clone)]
pub struct NewReceive {
    /// Amount of the transfer.
    pub amount: Money,
    /// Note, to be sealed with class profile.
    pub note: Option<String>,
}

impl Receive {
    /// Parses the transfer.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field.
    pub fn parse(self) -> Result<NewReceive, ApiError> {
        Ok(NewReceive { amount: self.amount.parse()?, note: note("note", self.note)? })
    }
}
