//! Operations, by id and by platform.

use daybook_domain::operation::{Operation, Status};
use uuid::Uuid;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;
use crate::store::sql::Column;

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition::record::<Operation>();

/// Query for a page of a platform's operations.
pub(crate) const LIST: &str = include_str!("list.sql");

/// The projection of operations.
pub(crate) type Operations = Records<Operation>;

/// The columns beside the state.
#[derive(Default)]
pub(crate) struct Columns {
    platforms: Vec<Uuid>,
    is_waiting: Vec<bool>,
}

impl Record for Operation {
    const TABLE: &'static str = "operations";
    const SCHEMA: &'static str = include_str!("schema.sql");
    const SAVE: &'static str = include_str!("save.sql");
    type Columns = Columns;

    fn columns(&self, into: &mut Columns) {
        into.platforms.push(Uuid::from(self.platform));
        into.is_waiting.push(self.status == Status::Waiting);
    }

    fn params<'a>(columns: &'a Columns, into: &mut Vec<&'a dyn Column>) {
        into.extend([&columns.platforms as &dyn Column, &columns.is_waiting]);
    }
}
