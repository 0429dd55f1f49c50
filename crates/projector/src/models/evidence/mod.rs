//! Evidence: the bank's files of months, by id.

use daybook_domain::evidence::Evidence;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;
use crate::store::sql::Column;

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition::record::<Evidence>();

/// Query for all evidence of a shard whose keys have to be destroyed.
pub(crate) const DESTROYED: &str = include_str!("destroyed.sql");

/// The projection of evidence.
pub(crate) type EvidenceRecords = Records<Evidence>;

/// The column beside the state.
#[derive(Default)]
pub(crate) struct Columns {
    is_destroyed: Vec<bool>,
}

impl Record for Evidence {
    const TABLE: &'static str = "evidence";
    const SCHEMA: &'static str = include_str!("schema.sql");
    const SAVE: &'static str = include_str!("save.sql");
    type Columns = Columns;

    fn columns(&self, into: &mut Columns) {
        into.is_destroyed.push(self.is_destroyed);
    }

    fn params<'a>(columns: &'a Columns, into: &mut Vec<&'a dyn Column>) {
        into.push(&columns.is_destroyed);
    }
}
