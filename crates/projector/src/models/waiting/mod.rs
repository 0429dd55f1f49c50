//! Waiting: queued transactions, and the users and nodes that they wait for. When a user or node is freed, the
//! transactions that wait for it have to be screened again.

mod v1;

use daybook_domain::Kind;
pub(crate) use v1::Waiting;

use crate::store::model::{Definition, MadeOf};

/// Declaration of the read model.
pub(crate) const MODEL: Definition =
    Definition::new(&["waiting"], &[Kind::User, Kind::Node, Kind::Transaction], MadeOf::States, |_| {
        include_str!("schema.sql").into()
    });

/// Query for transactions whose cause was cleared; its parameters are those of [`super::to_dos`].
pub(crate) const DUE: &str = include_str!("due.sql");

/// Query for the number of transactions whose cause was cleared.
pub(crate) const BACKLOG: &str = include_str!("backlog.sql");
