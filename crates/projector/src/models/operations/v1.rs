//! Version 1: platform and whether it waits stand beside the state, for lists.

use daybook_domain::State;
use daybook_domain::operation::{Operation, Status};
use uuid::Uuid;

use crate::models::record::Record;
use crate::store::sql::Column;

/// The columns beside the state.
#[derive(Default)]
pub(crate) struct Columns {
    platforms: Vec<Uuid>,
    is_waiting: Vec<bool>,
}

impl Record for Operation {
    const TABLE: &'static str = "operations_v1";
    const LOAD: &'static str = include_str!("load.sql");
    const SAVE: &'static str = include_str!("save.sql");
    type Columns = Columns;

    fn columns(&self, into: &mut Columns) {
        into.platforms.push(Uuid::from_u128(self.platform.as_u128()));
        into.is_waiting.push(self.status == Status::Waiting);
    }

    fn params<'a>(columns: &'a Columns, into: &mut Vec<&'a dyn Column>) {
        into.extend([&columns.platforms as &dyn Column, &columns.is_waiting]);
    }

    fn of(state: &State) -> Option<&Self> {
        if let State::Operation(record) = state { Some(record) } else { None }
    }

    fn into_state(self) -> State {
        State::Operation(self.into())
    }
}
