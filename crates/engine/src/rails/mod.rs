//! Payment rails: file formats for banks, and ports to external providers of identity checks, address checks, routing
//! numbers and bank logins.
//!
//! The sandbox implements every port for sandbox platforms. The formats only convert between structs and text. Sending
//! files, and the commands that follow from received ones, belong to other modules.

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
pub use file::{EntryDirection, FileError, Originator, OutgoingEntry, OutgoingFile, Unfit};
