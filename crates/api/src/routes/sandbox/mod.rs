//! Handlers of simulations in a sandbox.

mod answer;
pub mod clock;
pub mod decisions;
pub mod receive;
pub mod steps;
pub mod verify;
