//! Handlers of sandbox, one verb a file.

mod answer;
pub mod cancel;
pub mod clock;
pub mod credit;
pub mod debit;
pub mod process;
pub mod queue;
mod receive;
pub mod release;
pub mod send_back;
pub mod settle;
mod step;
pub mod verify;

pub(super) use receive::{Crossing, receive};
