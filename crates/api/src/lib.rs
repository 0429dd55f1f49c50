//! HTTP API of Daybook on actix-web: a payments API in front of an event-sourced, double-entry ledger.
//!
//! The crate translates between HTTP and the engine. It contains no SQL and no rule about money: [`daybook_domain`]
//! decides commands, [`daybook_engine`] executes them, and the read models of [`daybook_projector`] answer queries.
//!
//! # A request
//!
//! 1. [`server()`] accepts the connection and enforces its limits: connections, TLS handshakes, timeouts, host names.
//! 2. Middleware assigns a [request id](request_id), counts the call against the [rate limits](rate), and gives every
//!    error the same shape.
//! 3. The router finds the handler. All endpoints are listed in [`routes`].
//! 4. Extractors read the request: credentials and scope ([`auth`]), ids of the path, parameters of the [`query`],
//!    the [`page`] of a list, and the [`body`].
//! 5. The handler parses the body into a command, submits the command to the engine, and renders the answer. A handler
//!    of a query reads states at the current or an earlier position instead.
//! 6. The answer is a record or a list in its [`envelope`], or an [`ApiError`]. [`error`] contains the only table from
//!    refusals and failures to status, code and text.
//!
//! # Parts
//!
//! - [`wire`]: JSON shapes of requests and answers, pure functions without I/O.
//! - `render`: collects states, opens sealed fields, and renders records through [`wire`].
//! - [`webhook`]: bodies and signatures of webhook calls.
//! - [`description`]: the API description as `OpenAPI` 3.1, generated from handlers and wire types.
//! - [`App`]: state that all handlers share; [`ResourceLimits`], [`Observability`] and [`Metrics`] are parts of it.

mod app;
pub mod auth;
pub mod body;
mod deprecation;
pub mod description;
pub mod envelope;
pub mod error;
mod in_query;
mod metrics;
mod observability;
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
pub mod webhook;
pub mod wire;

pub use app::App;
pub use error::ApiError;
pub use metrics::Metrics;
pub use observability::Observability;
pub use server::{Certificate, HostName, Hosts, ListenerOptions, server};
pub use share::ResourceLimits;
