//! actix-web: routes, wire shapes, authentication, envelope, errors.
//!
//! A handler parses, submits and renders; if it decided something, that something would live elsewhere. No SQL here,
//! and no rule about money.

mod app;
pub mod auth;
pub mod body;
mod deprecation;
pub mod description;
pub mod envelope;
pub mod error;
mod in_query;
mod metrics;
pub mod page;
mod path;
pub mod query;
pub mod rate;
mod render;
pub mod request_id;
pub mod routes;
mod search;
mod server;
mod share;
mod watching;
pub mod webhook;
pub mod wire;

pub use app::App;
pub use error::ApiError;
pub use metrics::Metrics;
pub use server::{Certificate, Doors, HostName, Hosts, server};
pub use share::Allowances;
pub use watching::Watching;
