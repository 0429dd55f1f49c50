//! The sandbox: what would take days, or a bank, happens at once; for the platform's credentials, and nowhere else.

mod addresses;
mod clock;
mod credit;
mod debit;
mod dummy;
mod steps;
mod verify;
