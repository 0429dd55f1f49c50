//! Stop: why a subscription is not called any more though its platform did not ask for that.

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// What its receiver did, or did not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It answered that it is gone for good: 410.
    Gone,
    /// It took nothing for a day, and a call was given up.
    Silent,
}

impl StopReason {
    /// The word for it, which never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Silent => "silent",
        }
    }
}

/// Set inactive by us. Whoever sets the subscription active or inactive ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// Why.
    pub reason: StopReason,
    /// When.
    pub at: Timestamp,
}
