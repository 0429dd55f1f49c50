//! Statements of banks, by id. The list of a custody's statements is in [`super::members`].

use daybook_domain::statement::Statement;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition::record::<Statement>();

/// The projection of statements.
pub(crate) type Statements = Records<Statement>;

impl Record for Statement {
    const TABLE: &'static str = "statements";
    type Columns = ();
}
