//! Authentication. Extractors turn the headers of a request into a [`Gateway`], a [`PlatformOrPublicKey`], a
//! [`Sandbox`], a [`Caller`] or an [`Operator`]. Every handler takes one of them, except the public ones: health
//! checks, checkpoints, tree hashes and the API description. [`Caller`] and [`PlatformOrPublicKey`] name the scope that
//! they require in their type. Public keys are accepted by [`PlatformOrPublicKey`] only.

mod caller;
mod credentials;
pub(crate) mod dry_run;
mod gateway;
pub mod headers;
mod idempotency;
mod operator;
mod request_origin;
mod rights;
mod sandbox;

pub use caller::Caller;
pub(crate) use credentials::{Argument, Credentials};
pub use daybook_engine::access::{RequiredScope, scopes};
pub use gateway::{Gateway, PlatformOrPublicKey};
pub use operator::Operator;
pub(crate) use request_origin::RequestOrigin;
pub use sandbox::Sandbox;
