//! Accounts at banks, by id.

use daybook_domain::custody::Custody;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;

/// The declaration.
pub(crate) const MODEL: Definition = Definition::record::<Custody>();

/// The projection.
pub(crate) type Custodies = Records<Custody>;

impl Record for Custody {
    const TABLE: &'static str = "custodies";
    type Columns = ();
}
