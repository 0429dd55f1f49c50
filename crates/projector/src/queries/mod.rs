//! What callers ask: states and timelines of aggregates, lists, balances and account statements.
//!
//! No query knows the projection: it reads rows up to where the cursor stands, and the log from there on.

pub(crate) mod aggregates;
pub(crate) mod balances;
pub(crate) mod lists;
pub(crate) mod page;
mod row;
pub(crate) mod statements;
