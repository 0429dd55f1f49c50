//! Lines of statements in suspense, by id and by platform.

use daybook_domain::breaks::Break;
use uuid::Uuid;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;
use crate::store::sql::Column;

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition::record::<Break>();

/// Query for a page of a platform's breaks.
pub(crate) const LIST: &str = include_str!("list.sql");

/// Query for the days of the lines in suspense.
pub(crate) const AGES: &str = include_str!("ages.sql");

/// The projection of breaks.
pub(crate) type Breaks = Records<Break>;

/// The columns beside the state.
#[derive(Default)]
pub(crate) struct Columns {
    platforms: Vec<Uuid>,
    is_open: Vec<bool>,
}

impl Record for Break {
    const TABLE: &'static str = "breaks";
    const SCHEMA: &'static str = include_str!("schema.sql");
    const SAVE: &'static str = include_str!("save.sql");
    type Columns = Columns;

    fn columns(&self, into: &mut Columns) {
        into.platforms.push(Uuid::from(self.platform));
        into.is_open.push(self.left != 0);
    }

    fn params<'a>(columns: &'a Columns, into: &mut Vec<&'a dyn Column>) {
        into.extend([&columns.platforms as &dyn Column, &columns.is_open]);
    }
}
