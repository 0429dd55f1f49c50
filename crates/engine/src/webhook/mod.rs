//! Webhooks: at-least-once delivery of events to subscriptions, in order for each record.
//!
//! This is a transactional outbox. A cursor over the log puts events into **lanes**, one delivery queue for each
//! subscription and record. Lanes are independent, so a slow receiver blocks neither the cursor nor other receivers.
//! Rows of a lane contain no event: the event is read from the log at delivery. A subscription with many lanes has a
//! **backlog**: its further events stay in the log for now. The HTTP call itself is behind the trait [`Tell`].

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

/// Maximum number of subscriptions of a platform, active or not.
pub const SUBSCRIPTIONS: u64 = 100;

/// Sends events to subscriptions.
#[async_trait]
pub trait Tell: Send + Sync + 'static {
    /// Delivers the event at `position` to `subscription`, and waits for the response within the timeout `patience`.
    ///
    /// # Errors
    ///
    /// If no call was made because a service of ours is unavailable. The runner tries again soon.
    async fn tell(
        &self,
        shard: Shard,
        subscription: SubscriptionId,
        position: Position,
        patience: Patience,
    ) -> Result<Told, Box<dyn std::error::Error + Send + Sync>>;
}

/// Timeout of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// The full timeout.
    Whole,
    /// A shorter timeout, for a receiver that did not respond the last time.
    Short,
}

/// Result of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// No call was made: the subscription does not receive this event, or is not active.
    Nothing,
    /// The receiver was called.
    Called(Answered),
}

/// Response of a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Id of the event.
    pub event_id: u128,
    /// True if the receiver accepted the event with a status from 200 to 299.
    pub is_taken: bool,
    /// True if the call timed out.
    pub is_silent: bool,
    /// HTTP status of the response, if there was one.
    pub status: Option<u16>,
    /// Outcome as a word that never changes: `taken`, `refused`, or the reason why there was no response.
    pub outcome: &'static str,
    /// Duration of the call.
    pub took: Duration,
    /// Box with the first part of the response body, class profile of the platform's own user.
    pub beginning: Option<Sealed>,
}

impl Answered {
    /// Returns true if the receiver answered 410: it is gone for good.
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

/// Failure of the database, the log or the read models.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// A database statement failed.
    #[error(transparent)]
    Pg(#[from] daybook_pg::Error),
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] daybook_log::Error),
    /// The read models cannot be read.
    #[error(transparent)]
    Reads(#[from] daybook_projector::Error),
    /// A subscription could not be deactivated.
    #[error(transparent)]
    Submit(#[from] crate::SubmitError),
    /// No call could be made.
    #[error("the subscription could not be called: {0}")]
    Tell(Box<dyn std::error::Error + Send + Sync>),
}

impl From<tokio_postgres::Error> for WebhookError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Pg(error.into())
    }
}

/// Converts a number to its column type.
fn bigint(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
