//! Files for banks: the event that cut each file, and the transaction of each entry.

mod v1;

use daybook_domain::custody::FileCut;
use daybook_domain::{Kind, Timestamp};
pub(crate) use v1::Files;

use crate::store::model::{Definition, MadeOf};

/// Declaration of the read model.
pub(crate) const MODEL: Definition =
    Definition::new(&["files", "traces"], &[Kind::Custody], MadeOf::Events, |_| {
        include_str!("schema.sql").into()
    });

/// Query for the position at which a file was cut.
pub(crate) const FIND: &str = include_str!("find.sql");
/// Query for the transaction of an entry.
pub(crate) const TRACE: &str = include_str!("trace.sql");
/// Query for a page of an account's files.
pub(crate) const LIST: &str = include_str!("list.sql");

/// A file as it was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutRow {
    /// The event that cut it, with its entries.
    pub cut: FileCut,
    /// Time of the cut, by the platform's clock.
    pub cut_at: Timestamp,
    /// Version of that event in the stream of the custody.
    pub version: u32,
}
