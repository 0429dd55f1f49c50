//! The sandbox: steps that take days or need a bank happen at once, for a sandbox platform's own credentials only.

mod addresses;
mod clock;
mod credit;
mod debit;
mod dummy;
mod steps;
mod verify;
