//! Account statements: months that are over, and never change.

mod history;
mod routes;
