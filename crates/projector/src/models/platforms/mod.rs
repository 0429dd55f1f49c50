//! Platforms, by id.

use daybook_domain::platform::Platform;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;
use crate::store::sql::Column;

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition::record::<Platform>();

/// Query for the platforms whose clock is ahead of the wall clock.
pub(crate) const CLOCKS: &str = include_str!("clocks.sql");

/// The projection of platforms.
pub(crate) type Platforms = Records<Platform>;

impl Record for Platform {
    const TABLE: &'static str = "platforms";
    const SCHEMA: &'static str = include_str!("schema.sql");
    const SAVE: &'static str = include_str!("save.sql");
    type Columns = Vec<i64>;

    fn columns(&self, into: &mut Vec<i64>) {
        into.push(self.clock_ms);
    }

    fn params<'a>(columns: &'a Vec<i64>, into: &mut Vec<&'a dyn Column>) {
        into.push(columns);
    }
}
