//! Version 1: no column beside the state; an account at a bank is only ever looked up by its id.

use daybook_domain::State;
use daybook_domain::custody::Custody;

use crate::models::record::Record;
use crate::store::sql::Column;

impl Record for Custody {
    const TABLE: &'static str = "custodies_v1";
    const LOAD: &'static str = include_str!("load.sql");
    const SAVE: &'static str = include_str!("save.sql");
    type Columns = ();

    fn columns(&self, _into: &mut ()) {}

    fn params<'a>(_columns: &'a (), _into: &mut Vec<&'a dyn Column>) {}

    fn of(state: &State) -> Option<&Self> {
        if let State::Custody(record) = state { Some(record) } else { None }
    }

    fn into_state(self) -> State {
        State::Custody(self.into())
    }
}
