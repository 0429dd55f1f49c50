//! Queued: the transactions of a platform that are held back, in the order of their creation. They are few, and leave
//! in any order, so they are counted when they are listed.

mod v1;

pub(crate) use v1::Queued;

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// A page of what is held back: shard, platform, offset, limit.
pub(crate) const LIST: &str = include_str!("list.sql");
