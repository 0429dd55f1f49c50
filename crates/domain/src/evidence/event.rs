//! Events of the evidence of one month.

use serde::{Deserialize, Serialize};

use crate::calendar::{Day, Month};
use crate::event::{Payload, events};
use crate::id::{CustodyId, PlatformId};

events! { Evidence:
    /// The first file of the month was kept, under new keys.
    Opened = 130 v 1 "evidence.opened",
    /// The retention has ended: the keys are destroyed (crypto-shredding).
    Destroyed = 131 v 1 "evidence.destroyed",
}

/// The first file of the month was kept, under new keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// Platform of the account.
    pub platform: PlatformId,
    /// The account at the bank.
    pub custody: CustodyId,
    /// Month of the statements.
    pub month: Month,
    /// Day on which the keys will be destroyed. Later changes of the platform's policy do not move it.
    pub kept_until: Day,
}

impl Payload for Opened {}

/// The retention has ended: the keys are destroyed (crypto-shredding).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Destroyed {}

impl Payload for Destroyed {}
