//! Webhooks: what turns one event of the log, for one subscription, into one safe and signed call. When it is made, and
//! how often, is for [`daybook_engine::webhook`] to know.

pub mod call;
mod extended;
mod render;
pub mod signature;
mod teller;

pub use call::{Prepared, prepare};
pub(crate) use render::body;
pub use teller::Teller;
