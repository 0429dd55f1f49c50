//! Webhooks: at-least-once delivery of events to subscriptions, in order for each record.
//!
//! This is a transactional outbox. A cursor over the log puts events into **lanes**, one delivery queue for each
//! subscription and record. Lanes are independent, so a slow receiver blocks neither the cursor nor other receivers.
//! Rows of a lane contain no event: the event is read from the log at delivery. A subscription with many lanes has a
//! **backlog**: its further events stay in the log for now. The HTTP call itself is behind the trait [`Deliver`].

mod attempts;
mod backlog;
mod backlog_status;
mod call_limiter;
mod call_slots;
mod fan_out;
mod lanes;
mod replay;
mod runner;
mod schedule;

use std::time::Duration;

use async_trait::async_trait;
pub use attempts::{Attempt, Attempts};
pub use backlog_status::{BacklogStatus, backlog_status};
use call_limiter::CallOutcome;
use daybook_domain::{Sealed, SubscriptionId};
use daybook_log::{Position, Shard};
pub use replay::replay;
pub use runner::Webhooks;

/// Maximum number of subscriptions of a platform, active or not.
pub const MAX_SUBSCRIPTIONS: u64 = 100;

/// Sends events to subscriptions.
#[async_trait]
pub trait Deliver: Send + Sync + 'static {
    /// Delivers the event at `position` to `subscription`, and waits for the response within the timeout
    /// `call_timeout`.
    ///
    /// # Errors
    ///
    /// Fails if no call was made because a service of ours is unavailable. The runner tries again soon.
    async fn deliver(
        &self,
        shard: Shard,
        subscription: SubscriptionId,
        position: Position,
        call_timeout: CallTimeout,
    ) -> Result<DeliveryResult, Box<dyn std::error::Error + Send + Sync>>;
}

/// Timeout of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallTimeout {
    /// The full timeout.
    Full,
    /// A shorter timeout, for a receiver that did not respond the last time.
    Short,
}

/// Result of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryResult {
    /// No call was made: the subscription does not receive this event, or is not active.
    Nothing,
    /// The receiver was called.
    Called(ReceiverResponse),
}

/// Response of a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverResponse {
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

impl ReceiverResponse {
    /// Returns true if the receiver answered 410: it is gone for good.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.status == Some(410)
    }

    const fn outcome_kind(&self) -> CallOutcome {
        match (self.is_taken, self.is_silent) {
            (true, _) => CallOutcome::Taken,
            (false, true) => CallOutcome::Silence,
            (false, false) => CallOutcome::Failed,
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
    Deliver(Box<dyn std::error::Error + Send + Sync>),
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
