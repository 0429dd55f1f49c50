//! Webhooks: every event that a subscription is about is told to it at least once, and those about one record in their order.
//!
//! A cursor over the log puts events into **lanes**: one for each record that a subscription is still to be told of. Lanes
//! wait for nobody but themselves, so a receiver holds up neither the cursor nor others, and rows of a lane hold no event:
//! what is told is read from the log when it is told. Whoever has many lanes already is *behind*: the rest stays in the log.
//! How it is told is not known here, but to whoever implements [`Tell`].

mod attempts;
mod backlog;
mod fan_out;
mod lanes;
mod open;
mod places;
mod replay;
mod runner;
mod schedule;
mod waiting;

use std::time::Duration;

use async_trait::async_trait;
pub use attempts::{Attempt, Attempts};
use daybook_domain::{Sealed, SubscriptionId};
use daybook_log::{Position, Shard};
use open::Ending;
pub use replay::replay;
pub use runner::Webhooks;
pub use waiting::{Waiting, waiting};

/// The subscriptions that a platform may have, active or not.
pub const SUBSCRIPTIONS: u64 = 100;

/// Tells a subscription of an event.
#[async_trait]
pub trait Tell: Send + Sync + 'static {
    /// Tells `subscription` of the event at `position`, and waits for its answer with `patience`.
    ///
    /// # Errors
    ///
    /// If nobody was called because something of ours is away; it is tried again soon.
    async fn tell(
        &self,
        shard: Shard,
        subscription: SubscriptionId,
        position: Position,
        patience: Patience,
    ) -> Result<Told, Box<dyn std::error::Error + Send + Sync>>;
}

/// How long an answer is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// As long as any.
    Whole,
    /// Less: the receiver said nothing the last time.
    Short,
}

/// What came of telling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// The subscription is not about it, or not active any more: nobody was called.
    Nothing,
    /// Somebody was called.
    Called(Answered),
}

/// What a receiver did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The event's id.
    pub event_id: u128,
    /// Whether it took what it was told, by a status from 200 to 299.
    pub is_taken: bool,
    /// Whether it said nothing until the time was over.
    pub is_silent: bool,
    /// The status of its answer, if it gave one.
    pub status: Option<u16>,
    /// What came of it, in a word that never changes: `taken`, `refused`, or why there was no answer.
    pub outcome: &'static str,
    /// How long it took.
    pub took: Duration,
    /// Box, class profile of the platform's own user: how the answer began.
    pub beginning: Option<Sealed>,
}

impl Answered {
    /// Whether the receiver says that it is gone for good: 410.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.status == Some(410)
    }

    const fn ending(&self) -> Ending {
        match (self.is_taken, self.is_silent) {
            (true, _) => Ending::Taken,
            (false, true) => Ending::Silence,
            (false, false) => Ending::InVain,
        }
    }
}

/// A failure of the database, the log or what is read from it.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// A statement failed.
    #[error(transparent)]
    Pg(#[from] daybook_pg::Error),
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] daybook_log::Error),
    /// Read models cannot be read.
    #[error(transparent)]
    Reads(#[from] daybook_projector::Error),
    /// A subscription cannot be set inactive.
    #[error(transparent)]
    Submit(#[from] crate::SubmitError),
    /// Nobody could be called.
    #[error("nobody could be called: {0}")]
    Tell(Box<dyn std::error::Error + Send + Sync>),
}

impl From<tokio_postgres::Error> for WebhookError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Pg(error.into())
    }
}

/// A number as its column has it.
fn bigint(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
