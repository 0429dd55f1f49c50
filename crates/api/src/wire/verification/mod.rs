//! Checks with external services before an object is created: routing numbers and addresses.

mod address;
mod routing_number;

pub use address::{CheckedAddress, VerifyAddress};
pub use routing_number::{KnownBank, VerifyRoutingNumber, Wanted};
