//! Users, by id.

use daybook_domain::user::User;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition::record::<User>();

/// The projection of users.
pub(crate) type Users = Records<User>;

impl Record for User {
    const TABLE: &'static str = "users";
    type Columns = ();
}
