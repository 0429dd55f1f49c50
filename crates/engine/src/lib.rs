//! The engine: the write side of Daybook's event-sourced ledger, and its background workers.
//!
//! A command enters through [`Engine::submit`]. The writer, one per shard, takes the waiting commands as a batch, loads
//! the aggregates that they read, has `daybook_domain` decide each command, and appends the resulting events to the log
//! in one commit. The caller gets its answer after the commit: events, states and a signed receipt, or a refusal. An
//! idempotency key ([`Call`]) makes a retry safe.
//!
//! The write path depends on the log alone, never on a read model (CQRS). No other crate appends to the log.
//!
//! # Modules
//!
//! - [`Engine`], [`SubmitError`]: the command queue and the writer.
//! - [`Processes`]: process managers (sagas) that perform due to-dos, such as settlement, release and bank files.
//! - [`webhook`]: transactional outbox and delivery queues of subscriptions. [`feed`]: the same events, for polling.
//! - [`rails`]: file formats of ACH, wire and check, and the ports to banks and providers.
//! - [`ops`]: work of operators: operations with four eyes, returns and bank statements. [`reconciliation`]: the tie-out
//!   with the bank.
//! - [`access`]: credentials and their scopes. [`bank_login`]: logins of users at their banks.
//! - [`erasure`]: crypto-shredding of a user's personal data. [`Sealer`]: envelope encryption of new data.
//! - [`Audit`], [`Attester`]: checkpoints and proofs of the log's Merkle tree.
//! - [`heartbeat`], [`readiness`]: health of the workers.
//!
//! # Example
//!
//! Closes a user. The domain decides if that is allowed; a refusal is an error of the call.
//!
//! ```no_run
//! use daybook_domain::user::Permission;
//! use daybook_domain::user::permit::Permit;
//! use daybook_domain::{Origin, UserId};
//! use daybook_engine::access::PlatformRecord;
//! use daybook_engine::{Call, Engine, SubmitError};
//!
//! async fn close(engine: &Engine, on: &PlatformRecord, user: UserId) -> Result<u64, SubmitError> {
//!     let platform = on.id;
//!     let command = Permit { user, platform, permission: Permission::Closed, origin: Origin::PROCESS };
//!     let done = engine.submit(Call::of(on.shard), command).await?;
//!     Ok(done.position)
//! }
//! ```

pub mod access;
mod account_number;
mod attester;
mod audit;
pub mod bank_login;
mod batch;
mod cache;
mod clock;
mod concurrency_limits;
mod contents;
mod engine;
mod entropy;
pub mod erasure;
mod error;
pub mod feed;
pub mod heartbeat;
mod hex;
mod metrics;
pub mod ops;
mod platforms;
mod process;
mod queue_limiter;
pub mod rails;
pub mod readiness;
pub mod reconciliation;
mod sealer;
mod secret;
pub mod share;
pub mod statements;
mod subscription_secret;
pub mod webhook;
mod writer;
mod writers;

pub use access::Access;
pub use attester::{AttestError, Attester};
pub use audit::{Audit, BalanceError, Included, Newest, Proved, ProvedBalance, ShardAudit};
pub use batch::{BoundKey, Call, Submitted};
pub use clock::Clock;
pub use concurrency_limits::ConcurrencyLimits;
pub use contents::{
    AnswerBeginning, Comment, Correspondent, DocumentContents, FileContents, LinkedDetails, Login, Match,
    MatchInfo, NodeDetails, OperationDetails, PayeeAddress, Profile, StatementDetails, SubnetDetails,
    SubscriptionDetails, TransactionDetails,
};
pub use daybook_log::Shard;
pub use engine::{Engine, Ports, SHARD, STATE_CACHE_BYTES, Settings};
pub use entropy::Entropy;
pub use erasure::Eraser;
pub use error::{StoresError, SubmitError};
pub use metrics::Metrics;
pub use platforms::NewPlatform;
pub use process::{Delivery, DeliveryError, Processes};
pub use sealer::{SealError, Sealer, open, open_cached};
pub use secret::Secret;
#[cfg(feature = "testing")]
pub use writer::testing::{DrivenWriter, PolledWriter};
