//! Authentication: headers become a [`Gateway`], a [`Keyed`], a [`Sandbox`], a [`Caller`] or an [`Operator`]. Every
//! handler but those of health takes one of them. A [`Caller`] names the scope that it needs in its type, and so does a
//! [`Keyed`], which alone is open to public keys.

mod caller;
mod credentials;
pub(crate) mod dry_run;
mod gateway;
pub mod headers;
mod idempotency;
mod operator;
mod sandbox;
mod who;

pub use caller::Caller;
pub(crate) use credentials::{Argument, Credentials};
pub use daybook_engine::access::{Needs, needs};
pub use gateway::{Gateway, Keyed};
pub use operator::Operator;
pub use sandbox::Sandbox;
pub(crate) use who::Who;
