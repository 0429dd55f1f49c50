//! Custodies: accounts of platforms at banks, by id.

use daybook_domain::custody::Custody;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition::record::<Custody>();

/// Query for the account whose newest statement is the oldest.
pub(crate) const STATED: &str = include_str!("stated.sql");

/// The projection of custodies.
pub(crate) type Custodies = Records<Custody>;

impl Record for Custody {
    const TABLE: &'static str = "custodies";
    type Columns = ();
}
