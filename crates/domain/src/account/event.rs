//! What happens to an account: entries, each with the numbers after it.

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

/// One entry, in minor units as the owner sees them; the last one is the account's state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The node.
    pub node: NodeId,
    /// The currency.
    pub currency: Currency,
    /// Whose step this is.
    pub cause: Cause,
    /// Added to `posted`.
    pub delta: i64,
    /// Added to `held`.
    pub hold_delta: i64,
    /// Added to `pending_in`.
    pub pending_delta: i64,
    /// The posted balance after it.
    pub posted: i64,
    /// What is held after it.
    pub held: i64,
    /// What is on its way in after it.
    pub pending_in: i64,
    /// Everything that came in on this day so far, gross.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub day_in: i64,
    /// Everything that went out on this day so far, gross.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub day_out: i64,
    /// The day of these two, if it is not the one on which the entry counts: a correction of the past.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<Day>,
    /// Made by a return, which may leave less than the floor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub returned: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_zero(minor: &i64) -> bool {
    *minor == 0
}

impl Payload for Entry {}
