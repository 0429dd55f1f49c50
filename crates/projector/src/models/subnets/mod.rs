//! Subnets, by id. Those of a node are a list of [`super::members`].

use daybook_domain::subnet::Subnet;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;

/// The declaration.
pub(crate) const MODEL: Definition = Definition::record::<Subnet>();

/// The projection.
pub(crate) type Subnets = Records<Subnet>;

impl Record for Subnet {
    const TABLE: &'static str = "subnets";
    type Columns = ();
}
