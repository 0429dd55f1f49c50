//! Version 1: platform, owner, type and whether it is active stand beside the state, for lists.

use daybook_domain::State;
use daybook_domain::node::Node;
use uuid::Uuid;

use crate::models::record::Record;
use crate::store::sql::Column;

/// The columns beside the state.
#[derive(Default)]
pub(crate) struct Columns {
    platforms: Vec<Uuid>,
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
        into.platforms.push(Uuid::from_u128(self.platform.as_u128()));
        into.user_ids.push(Uuid::from_u128(self.user.as_u128()));
        into.kinds.push(self.kind.as_str());
        into.is_active.push(self.is_active);
    }

    fn params<'a>(columns: &'a Columns, into: &mut Vec<&'a dyn Column>) {
        into.extend([&columns.platforms as &dyn Column, &columns.user_ids]);
        into.extend([&columns.kinds as &dyn Column, &columns.is_active]);
    }

    fn of(state: &State) -> Option<&Self> {
        if let State::Node(record) = state { Some(record) } else { None }
    }

    fn into_state(self) -> State {
        State::Node(self.into())
    }
}
