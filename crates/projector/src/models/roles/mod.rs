//! Roles of all operators: one row.

use daybook_domain::roles::Roles;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition::record::<Roles>();

/// The projection of roles.
pub(crate) type RolesRecords = Records<Roles>;

impl Record for Roles {
    const TABLE: &'static str = "roles";
    type Columns = ();
}
