//! To-dos: what the processes have to do, as the domain tells it from a state; gone when the state no longer says so.

mod v1;

use daybook_domain::Kind;
pub(crate) use v1::ToDos;

use crate::store::model::{Definition, MadeOf};

/// The declaration.
pub(crate) const MODEL: Definition =
    Definition::new(&["to_dos"], &[Kind::User, Kind::Transaction, Kind::Custody], MadeOf::States, |_| {
        include_str!("schema.sql").into()
    });

/// Steps that are due: shard, process, now, after which moment and id, at most how many, platform or null.
pub(crate) const DUE: &str = include_str!("due.sql");
/// The same, for a process whose steps are told to one asker at a time.
pub(crate) const DUE_ALONE: &str = include_str!("due_alone.sql");
/// Processes that have something to do: shard, their codes, the code of the one that releases, now, platform or null.
pub(crate) const ANY: &str = include_str!("any.sql");
/// How much is due of each process: shard, their codes, now.
pub(crate) const BACKLOG: &str = include_str!("backlog.sql");
