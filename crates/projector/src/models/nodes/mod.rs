//! Nodes by id, the nodes of a user in the order of their creation, and the nodes of a platform of one type.
//!
//! The rows of these lists are counted at each query: a user has few nodes, and a list of one type is rarely requested.
//! [`super::members`] has the list of all nodes of a platform.

use daybook_domain::node::Node;
use uuid::Uuid;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;
use crate::store::sql::Column;

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition::record::<Node>();

/// Query for a page of a user's active nodes: shard, user, kind or null, offset, limit.
pub(crate) const LIST: &str = include_str!("list.sql");

/// Query for all nodes of a user of some types: shard, user, kinds.
pub(crate) const OF_USER: &str = include_str!("of_user.sql");

/// Query for a page of a platform's active nodes of one type: shard, platform, kind, offset, limit.
pub(crate) const LIST_OF_KIND: &str = include_str!("list_of_kind.sql");

/// The projection of nodes.
pub(crate) type Nodes = Records<Node>;

/// The columns beside the state.
#[derive(Default)]
pub(crate) struct Columns {
    platforms: Vec<Uuid>,
    user_ids: Vec<Uuid>,
    kinds: Vec<&'static str>,
    is_active: Vec<bool>,
}

impl Record for Node {
    const TABLE: &'static str = "nodes";
    const SCHEMA: &'static str = include_str!("schema.sql");
    const SAVE: &'static str = include_str!("save.sql");
    type Columns = Columns;

    fn columns(&self, into: &mut Columns) {
        into.platforms.push(Uuid::from(self.platform));
        into.user_ids.push(Uuid::from(self.user));
        into.kinds.push(self.kind.as_str());
        into.is_active.push(self.is_active);
    }

    fn params<'a>(columns: &'a Columns, into: &mut Vec<&'a dyn Column>) {
        into.extend([&columns.platforms as &dyn Column, &columns.user_ids]);
        into.extend([&columns.kinds as &dyn Column, &columns.is_active]);
    }
}
