//! Test kit: a service, databases, HTTP clients and processes for tests.

pub mod app;
pub mod bodies;
pub mod client;
pub mod database;
pub mod http;
pub mod operator;
pub mod outgoing;
pub mod process;
pub mod proxy;
pub mod secret_file;
pub mod server;
pub mod tls;
