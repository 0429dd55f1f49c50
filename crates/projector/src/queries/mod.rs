//! The query side: states and timelines of aggregates, lists, balances and account statements.
//!
//! Queries do not depend on the projection. They read rows up to the cursor, and the log from there on.

pub(crate) mod aggregates;
pub(crate) mod balances;
pub(crate) mod lists;
pub(crate) mod page;
mod row;
pub(crate) mod statements;
