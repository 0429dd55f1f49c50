//! Webhooks: what turns one event of the log, for one subscription, into one safe and signed call.

pub mod client;
pub mod signature;
