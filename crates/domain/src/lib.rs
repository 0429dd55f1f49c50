//! The rules of Daybook: money, ids, aggregates, postings and processes. Pure and synchronous.
//!
//! A command asks, an event states a fact, a refusal says no. This crate turns the first into one of the others and
//! can do nothing else: no clock, no randomness, no I/O, no floating point. What a rule needs to know arrives in the
//! command or in the states that it asks for.

#![warn(clippy::wildcard_enum_match_arm)]
#![warn(clippy::float_arithmetic)]
#![cfg_attr(test, allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking"))]

pub mod account;
pub mod actor;
pub mod aggregate;
mod aggregates;
pub mod attachment;
pub mod attestation;
pub mod bank;
pub mod calendar;
pub mod command;
pub mod custody;
pub mod decide;
pub mod event;
pub mod id;
#[cfg(test)]
mod laws;
pub mod money;
pub mod movement;
mod names;
pub mod node;
pub mod operation;
pub mod platform;
pub mod posting;
pub mod process;
pub mod refusal;
pub mod sealed;
pub mod state;
pub mod subnet;
pub mod subscription;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod text;
pub mod time;
pub mod transaction;
pub mod user;

pub use actor::{Actor, Origin};
pub use aggregate::{Aggregate, Fact, Key, Kind};
pub use bank::Bank;
pub use command::Command;
pub use decide::Decide;
pub use event::Event;
pub use id::{
    AccountId, AttachmentId, AttestationId, CustodyId, FileId, NodeId, OperationId, OperatorId, PlatformId,
    SubnetId, SubscriptionId, TransactionId, UserId,
};
pub use money::{Currency, Money};
pub use refusal::Refusal;
pub use sealed::Sealed;
pub use state::{InState, State, States};
pub use text::data_lines;
pub use time::Timestamp;
