//! Files for banks: where each was cut, and which transaction an entry is of.

mod v1;

use daybook_domain::custody::FileCut;
use daybook_domain::{Kind, Timestamp};
pub(crate) use v1::Files;

use crate::store::model::{Definition, MadeOf};

/// The declaration.
pub(crate) const MODEL: Definition =
    Definition::new(&["files", "traces"], &[Kind::Custody], MadeOf::Events, |_| {
        include_str!("schema.sql").into()
    });

/// Where a file was cut.
pub(crate) const FIND: &str = include_str!("find.sql");
/// Which transaction an entry is of.
pub(crate) const TRACE: &str = include_str!("trace.sql");
/// A page of an account's files.
pub(crate) const LIST: &str = include_str!("list.sql");

/// A file as it was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutRow {
    /// What is in it.
    pub cut: FileCut,
    /// When, by the platform's clock.
    pub cut_at: Timestamp,
}
