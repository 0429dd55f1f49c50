//! Authentication. Extractors turn the headers of a request into a [`Gateway`], a [`Keyed`], a [`Sandbox`], a
//! [`Caller`] or an [`Operator`]. Every handler takes one of them, except the public ones: health checks, checkpoints,
//! tree hashes and the API description. [`Caller`] and [`Keyed`] name the scope that they require in their type. Public
//! keys are accepted by [`Keyed`] only.

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
