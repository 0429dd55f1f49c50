//! Queued: the transactions of a platform that are held back, in the order of their creation. They are few, and leave
//! in any order, so they are counted when they are listed.

mod v1;

use daybook_domain::Kind;
pub(crate) use v1::Queued;

use crate::store::model::{Definition, MadeOf};

/// The declaration.
pub(crate) const MODEL: Definition =
    Definition::new(&["queued"], &[Kind::Transaction], MadeOf::States, |_| include_str!("schema.sql").into());

/// A page of what is held back: shard, platform, offset, limit.
pub(crate) const LIST: &str = include_str!("list.sql");
