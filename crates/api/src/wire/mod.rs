//! Shapes of JSON, in and out: pure, and tested against the contract byte by byte.
//!
//! What comes in is read into types that cannot hold what the contract forbids, then parsed into what a command
//! takes. What goes out is a plain struct per record, rendered from states and opened boxes. No rule about money.

pub mod text;
