//! Version 1: owner, type and whether it is active stand beside the state, for lists.

use daybook_domain::State;
use daybook_domain::node::Node;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::record::Record;

/// The columns beside the state.
#[derive(Default)]
pub(crate) struct Columns {
    user_ids: Vec<Uuid>,
    kinds: Vec<&'static str>,
    is_active: Vec<bool>,
}

impl Record for Node {
    const TABLE: &'static str = "nodes_v1";
    const LOAD: &'static str = include_str!("load.sql");
    const SAVE: &'static str = include_str!("save.sql");
    type Columns = Columns;

    fn columns(&self, into: &mut Columns) {
        into.user_ids.push(Uuid::from_u128(self.user.as_u128()));
        into.kinds.push(self.kind.as_str());
        into.is_active.push(self.is_active);
    }

    fn params<'a>(columns: &'a Columns, into: &mut Vec<&'a (dyn ToSql + Sync)>) {
        into.extend([&columns.user_ids as &(dyn ToSql + Sync), &columns.kinds, &columns.is_active]);
    }

    fn of(state: &State) -> Option<&Self> {
        if let State::Node(record) = state { Some(record) } else { None }
    }

    fn into_state(self) -> State {
        State::Node(self)
    }
}
