//! The body that simulates money across the border of the ledger, from outside or to it.

use daybook_domain::Money;
use serde::Deserialize;
use utoipa::ToSchema;

use super::create::note;
use crate::ApiError;
use crate::description::values::Note;
use crate::wire::amount::AmountIn;
use crate::wire::text::Text;

/// The body.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct Receive {
    amount: AmountIn,
    #[schema(value_type = Option<Note>)]
    note: Option<Text>,
}

/// Money that crosses the border, well formed.
#[derive(Clone)]
pub struct NewReceive {
    /// What comes or goes.
    pub amount: Money,
    /// To be sealed with class profile.
    pub note: Option<String>,
}

impl Receive {
    /// Checks that everything is there and within its range.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field.
    pub fn parse(self) -> Result<NewReceive, ApiError> {
        Ok(NewReceive { amount: self.amount.parse()?, note: note("note", self.note)? })
    }
}
