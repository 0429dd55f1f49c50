//! Version 1: platform and status stand beside the state, for lists. The status also stands in a column of its own that
//! is set once: an index of one that changes at every step would make each update of a row twice as dear.

use daybook_domain::State;
use daybook_domain::transaction::Transaction;
use uuid::Uuid;

use crate::record::Record;
use crate::sql::Column;

/// The columns beside the state.
#[derive(Default)]
pub(crate) struct Columns {
    platforms: Vec<Uuid>,
    statuses: Vec<&'static str>,
    ended: Vec<&'static str>,
}

impl Record for Transaction {
    const TABLE: &'static str = "transactions_v1";
    const LOAD: &'static str = include_str!("load.sql");
    const SAVE: &'static str = include_str!("save.sql");
    type Columns = Columns;

    fn columns(&self, into: &mut Columns) {
        into.platforms.push(Uuid::from_u128(self.platform.as_u128()));
        into.statuses.push(self.status.as_str());
        into.ended.push(if self.status.is_end() { self.status.as_str() } else { "" });
    }

    fn params<'a>(columns: &'a Columns, into: &mut Vec<&'a dyn Column>) {
        into.extend([&columns.platforms as &dyn Column, &columns.statuses, &columns.ended]);
    }

    fn of(state: &State) -> Option<&Self> {
        if let State::Transaction(record) = state { Some(record) } else { None }
    }

    fn into_state(self) -> State {
        State::Transaction(self)
    }
}
