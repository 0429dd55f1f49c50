//! Embedded server.
