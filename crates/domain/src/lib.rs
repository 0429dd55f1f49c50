//! The domain model of Daybook, an event-sourced, double-entry ledger: money, aggregates, commands, events, postings
//! and processes. Pure and synchronous.
//!
//! A *command* is a request. Its decision reads *states* and returns new *events*, or a *refusal*. A state is the fold
//! of the events of one aggregate. The crate has no clock, no randomness, no I/O and no floating point: a decision
//! depends only on the command, the states and the time that the caller passes in. The same input always gives the
//! same events.
//!
//! # Where to start
//!
//! - [`Decide`]: the interface of every command; [`Command`] is the enum of all commands.
//! - [`Event`]: the enum of all events, with encoding, decoding and upcasters for older versions.
//! - [`State`] and [`States`]: the state of an aggregate, and the lookup through which a decision reads states.
//! - [`Refusal`]: the reasons for which a command is refused.
//! - [`posting`]: balanced sets of debits and credits; [`movement`]: the postings of each step of a transaction.
//! - [`process`]: the next step about an aggregate as a function of its state (process managers).
//!
//! Each folder of the crate is an aggregate, and each file in it is one command with its tests. The terms are explained
//! in `docs/GLOSSARY.md`, the rules of money in `docs/reference/money.md`.
//!
//! # Example
//!
//! A decision: given the states of past events, when a command is decided, then new events or a refusal follow.
//!
//! ```
//! use std::collections::HashMap;
//!
//! use daybook_domain::platform::clock::AdvanceClock;
//! use daybook_domain::platform::{self, Opened};
//! use daybook_domain::{Bank, Decide, Key, NodeId, PlatformId, State, States, Timestamp, UserId};
//!
//! struct Memory(HashMap<Key, State>);
//!
//! impl States for Memory {
//!     fn state(&self, key: Key) -> Option<&State> {
//!         self.0.get(&key)
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Given: a sandbox platform was opened.
//! let (id, at) = (PlatformId::from_u128(1), Timestamp::from_ms(0));
//! let opened = Opened {
//!     name: "Example Inc.".into(),
//!     sandbox: true,
//!     user: UserId::from_u128(2),
//!     reserve: NodeId::from_u128(3),
//!     bank: Bank::SANDBOX,
//!     time_zone: None,
//! };
//! let mut states = Memory(HashMap::from([(id.into(), State::begin(&opened.into(), at)?)]));
//!
//! // When: its clock is advanced by a minute.
//! let events = AdvanceClock { platform: id, ms: 60_000 }.decide(&states, at)?;
//!
//! // Then: one event follows. The caller records it and folds it into the state.
//! assert_eq!(events.len(), 1);
//! assert_eq!(events[0].event.name(), "platform.clock_advanced");
//! for new in &events {
//!     states.0.get_mut(&new.key).expect("the platform exists").evolve(&new.event, at)?;
//! }
//! assert_eq!(states.platform(id).map(|platform| platform.clock_ms), Some(60_000));
//!
//! // A clock never goes back: this command is refused.
//! let refused = AdvanceClock { platform: id, ms: -1 }.decide(&states, at);
//! assert_eq!(refused, Err(platform::Refusal::OutOfRange.into()));
//! # Ok(())
//! # }
//! ```
//!
//! # Guarantees
//!
//! - A set of postings that does not balance cannot be constructed or read ([`posting::Postings`]).
//! - Amounts are integers of minor units; text is converted without rounding ([`Money`]).
//! - A decision reads only the aggregates that [`Decide::needs`] names.
//! - Every event that was ever recorded can be read: types and versions never disappear ([`event`]).
//! - Personal data is carried only as ciphertext ([`Sealed`]).

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
pub mod breaks;
pub mod calendar;
pub mod command;
pub mod custody;
pub mod decide;
pub mod event;
pub mod evidence;
pub mod id;
#[cfg(test)]
mod laws;
pub mod matching;
pub mod money;
pub mod movement;
mod names;
pub mod node;
pub mod operation;
pub mod platform;
pub mod posting;
pub mod process;
pub mod refusal;
pub mod roles;
pub mod sealed;
pub mod state;
pub mod statement;
pub mod subnet;
pub mod subscription;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod text;
pub mod time;
pub mod transaction;
pub mod user;

pub use actor::{Actor, Origin};
pub use aggregate::{Aggregate, Key, Kind, NewEvent};
pub use bank::Bank;
pub use command::Command;
pub use decide::Decide;
pub use event::Event;
pub use id::{
    AccountId, AttachmentId, AttestationId, BreakId, CustodyId, EvidenceId, FileId, NodeId, OperationId,
    OperatorId, PlatformId, RolesId, StatementId, SubnetId, SubscriptionId, TransactionId, UserId,
};
pub use money::{Currency, Money};
pub use refusal::Refusal;
pub use sealed::Sealed;
pub use state::{InState, State, States};
pub use text::data_lines;
pub use time::Timestamp;
