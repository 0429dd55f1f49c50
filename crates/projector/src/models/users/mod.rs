//! Users, by id.

use daybook_domain::user::User;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;

/// The declaration.
pub(crate) const MODEL: Definition = Definition::record::<User>();

/// The projection.
pub(crate) type Users = Records<User>;

impl Record for User {
    const TABLE: &'static str = "users";
    type Columns = ();
}
