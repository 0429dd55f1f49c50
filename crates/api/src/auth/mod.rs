//! Authentication: headers become a [`Gateway`] or a [`Caller`]. A handler that has neither cannot be reached by
//! money; a [`Caller`] names the scope that it needs in its type.

mod caller;
mod gateway;
mod headers;
mod idempotency;

pub use caller::{Caller, Needs, needs};
pub use gateway::Gateway;
