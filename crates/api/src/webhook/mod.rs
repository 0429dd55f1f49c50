//! Webhooks: what turns one event of the log, for one subscription, into one safe and signed call. When it is made, and
//! how often, is not known here.

pub mod call;
pub mod client;
mod extended;
mod render;
pub mod signature;

pub use call::{Prepared, prepare};
