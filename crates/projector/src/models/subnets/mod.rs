//! Subnets, by id. The list of a node's subnets is in [`super::members`].

use daybook_domain::subnet::Subnet;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition::record::<Subnet>();

/// The projection of subnets.
pub(crate) type Subnets = Records<Subnet>;

impl Record for Subnet {
    const TABLE: &'static str = "subnets";
    type Columns = ();
}
