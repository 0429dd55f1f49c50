//! Ports to the outside: whoever checks identities and addresses, knows routing numbers and logs in at banks, and what is
//! written to and read from a bank.
//!
//! For sandbox platforms the sandbox stands behind them. The files are text from structs and back; who hands them over
//! and what follows from them is decided elsewhere.

pub mod ach;
pub mod address_check;
pub mod bank;
pub mod bank_link;
pub mod check;
mod csv;
mod destination;
pub mod file;
pub mod identity;
pub mod incoming;
pub mod routing_directory;
pub mod statement;
pub mod text;
pub mod wire;

pub use destination::{Abroad, AccountClass, Destination, is_swift};
pub use file::{Direction, FileError, Originator, OutgoingEntry, OutgoingFile, Unfit};
