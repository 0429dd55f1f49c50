//! Events of an account: entries, each with the balances after it.

use serde::{Deserialize, Serialize};

use super::Cause;
use crate::calendar::Day;
use crate::event::{Payload, events};
use crate::id::NodeId;
use crate::money::Currency;

events! { Account:
    /// Money was moved, held or announced.
    Entry = 30 v 1 "account.entry",
}

/// One entry, in minor units from the owner's view. The last entry is the account's state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Node of the account.
    pub node: NodeId,
    /// Currency of the account.
    pub currency: Currency,
    /// Cause of the entry.
    pub cause: Cause,
    /// Change of `posted`.
    pub delta: i64,
    /// Change of `held`.
    pub hold_delta: i64,
    /// Change of `pending_in`.
    pub pending_delta: i64,
    /// Posted balance after the entry.
    pub posted: i64,
    /// Held amount after the entry.
    pub held: i64,
    /// Pending incoming amount after the entry.
    pub pending_in: i64,
    /// Gross amount that came in on this day so far.
    #[serde(default, skip_serializing_if = "crate::event::is_zero")]
    pub day_in: i64,
    /// Gross amount that went out on this day so far.
    #[serde(default, skip_serializing_if = "crate::event::is_zero")]
    pub day_out: i64,
    /// Day of `day_in` and `day_out`, if it is not the day on which the entry takes effect: set by a correction of the
    /// past.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<Day>,
    /// True for an entry of a return, which may leave less than the floor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub returned: bool,
}

impl Payload for Entry {}
