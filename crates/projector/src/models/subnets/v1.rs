//! Version 1: no column beside the state; a subnet is only ever looked up by its id.

use daybook_domain::State;
use daybook_domain::subnet::Subnet;

use crate::models::record::Record;
use crate::store::sql::Column;

impl Record for Subnet {
    const TABLE: &'static str = "subnets_v1";
    const LOAD: &'static str = include_str!("load.sql");
    const SAVE: &'static str = include_str!("save.sql");
    type Columns = ();

    fn columns(&self, _into: &mut ()) {}

    fn params<'a>(_columns: &'a (), _into: &mut Vec<&'a dyn Column>) {}

    fn of(state: &State) -> Option<&Self> {
        if let State::Subnet(record) = state { Some(record) } else { None }
    }

    fn into_state(self) -> State {
        State::Subnet(self.into())
    }
}
