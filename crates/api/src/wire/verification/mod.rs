//! What is asked about the world outside before anything is made of it: routing numbers and addresses.

mod address;
mod routing_number;

pub use address::{CheckedAddress, VerifyAddress};
pub use routing_number::{KnownBank, VerifyRoutingNumber, Wanted};
