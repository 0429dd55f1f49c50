//! Checks with external services, through the engine's ports.

pub mod address;
pub mod routing_number;

/// Reason for refusing dry runs: the ledger does not decide these calls.
const OUTSIDE_SERVICE: &str = "calls that ask an external service";
