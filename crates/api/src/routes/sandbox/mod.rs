//! Handlers of simulations in a sandbox.

mod answer;
pub mod clock;
pub mod decisions;
pub mod external_transfer;
pub mod statement;
pub mod steps;
pub mod verify;
