//! Stop: why a subscription is not called any more though its platform did not ask for that.

use serde::{Deserialize, Serialize};

use crate::named;
use crate::time::Timestamp;

named! {
    /// What its receiver did, or did not do.
    pub enum StopReason {
        /// It answered that it is gone for good: 410.
        Gone => "gone",
        /// It took nothing for a day, and a call was given up.
        Silent => "silent",
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
