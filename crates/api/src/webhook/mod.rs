//! Webhooks: turns one event of the log, for one subscription, into a safe and signed HTTP call. Schedule and retries
//! are in [`daybook_engine::webhook`].

pub mod call;
mod extended;
mod render;
mod sender;
pub mod signature;

pub use call::{Prepared, prepare};
pub(crate) use render::body;
pub use sender::WebhookSender;
