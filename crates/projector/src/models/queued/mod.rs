//! Queued transactions of a platform, in the order of their creation. They are few and leave in any order, so they are
//! counted at each query.

mod v1;

use daybook_domain::Kind;
pub(crate) use v1::Queued;

use crate::store::model::{Definition, MadeOf};

/// Declaration of the read model.
pub(crate) const MODEL: Definition =
    Definition::new(&["queued"], &[Kind::Transaction], MadeOf::States, |_| include_str!("schema.sql").into());

/// Query for a page of queued transactions: shard, platform, offset, limit.
pub(crate) const LIST: &str = include_str!("list.sql");
