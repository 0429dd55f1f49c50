//! The engine: turns commands into events, one writer per shard, and keeps what is due moving.
//!
//! The write path depends on the log alone, never on a read model. Only this crate appends.

pub mod access;
mod account_number;
mod attester;
mod audit;
pub mod bank_login;
mod batch;
mod cache;
mod clock;
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
pub mod rails;
pub mod readiness;
mod room;
mod sealer;
mod secret;
pub mod share;
mod subscription_secret;
mod turns;
pub mod webhook;
mod writer;

pub use access::Access;
pub use attester::{AttestError, Attester};
pub use audit::{Audit, BalanceError, Included, Newest, Proved, ProvedBalance};
pub use batch::{BoundKey, Call, Submitted};
pub use clock::Clock;
pub use contents::{
    AnswerBeginning, Comment, Correspondent, DocumentContents, FileContents, LinkedDetails, Login, Match,
    MatchInfo, NodeDetails, OperationDetails, PayeeAddress, Profile, StatementDetails, SubnetDetails,
    SubscriptionDetails, TransactionDetails,
};
pub use engine::{Engine, Ports, SHARD, STATE_CACHE, Settings};
pub use entropy::Entropy;
pub use erasure::Eraser;
pub use error::{StoresError, SubmitError};
pub use metrics::Metrics;
pub use platforms::NewPlatform;
pub use process::{Delivery, DeliveryError, Processes};
pub use sealer::{SealError, Sealer, open, recall};
pub use secret::Secret;
pub use turns::Turns;
#[cfg(feature = "testing")]
pub use writer::testing::{DrivenWriter, PolledWriter};
