//! Waiting: transactions that are held back, and for whom. When a cause is cleared, whoever waits for it is to be looked
//! at again.

mod v1;

use daybook_domain::Kind;
pub(crate) use v1::Waiting;

use crate::store::model::{Definition, MadeOf};

/// The declaration.
pub(crate) const MODEL: Definition =
    Definition::new(&["waiting"], &[Kind::User, Kind::Node, Kind::Transaction], MadeOf::States, |_| {
        include_str!("schema.sql").into()
    });

/// Those whose cause was cleared, asked as [`super::to_dos`] are.
pub(crate) const DUE: &str = include_str!("due.sql");

/// How many transactions wait for that.
pub(crate) const BACKLOG: &str = include_str!("backlog.sql");
