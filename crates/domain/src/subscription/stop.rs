//! Stop: a subscription that Daybook set inactive without a request of its platform.

use serde::{Deserialize, Serialize};

use crate::named;
use crate::time::Timestamp;

named! {
    /// Behaviour of the receiver that caused the stop.
    pub enum StopReason {
        /// The receiver answered 410: gone for good.
        Gone => "gone",
        /// The receiver accepted no call for a day, and a call was given up.
        Silent => "silent",
    }
}

/// A stop by Daybook. It ends when the platform sets the subscription active or inactive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// Reason for the stop.
    pub reason: StopReason,
    /// Time of the stop.
    pub at: Timestamp,
}
