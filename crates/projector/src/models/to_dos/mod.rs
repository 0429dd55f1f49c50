//! To-dos: the pending work of the processes (job queue), as the domain derives it from states. A to-do disappears when
//! its state does not require it.

mod v1;

use daybook_domain::Kind;
pub(crate) use v1::ToDos;

use crate::store::model::{Definition, MadeOf};

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition::new(
    &["to_dos"],
    &[Kind::User, Kind::Transaction, Kind::Custody, Kind::Statement, Kind::Evidence],
    MadeOf::States,
    |_| include_str!("schema.sql").into(),
);

/// Query for due steps: shard, process, now, time and id after which to continue, limit, platform or null.
pub(crate) const DUE: &str = include_str!("due.sql");
/// The same query for a process whose steps only one worker may have at a time.
pub(crate) const DUE_ALONE: &str = include_str!("due_alone.sql");
/// Query for the processes that have work: shard, their codes, the code of the releasing process, now, platform or
/// null.
pub(crate) const ANY: &str = include_str!("any.sql");
/// Query for the number of due steps of each process: shard, their codes, now.
pub(crate) const BACKLOG: &str = include_str!("backlog.sql");
