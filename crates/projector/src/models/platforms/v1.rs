//! Version 1: how far its clock is ahead stands beside the state, for the processes.

use daybook_domain::State;
use daybook_domain::platform::Platform;

use crate::models::record::Record;
use crate::store::sql::Column;

impl Record for Platform {
    const TABLE: &'static str = "platforms_v1";
    const LOAD: &'static str = include_str!("load.sql");
    const SAVE: &'static str = include_str!("save.sql");
    type Columns = Vec<i64>;

    fn columns(&self, into: &mut Vec<i64>) {
        into.push(self.clock_ms);
    }

    fn params<'a>(columns: &'a Vec<i64>, into: &mut Vec<&'a dyn Column>) {
        into.push(columns);
    }

    fn of(state: &State) -> Option<&Self> {
        if let State::Platform(record) = state { Some(record) } else { None }
    }

    fn into_state(self) -> State {
        State::Platform(self.into())
    }
}
