//! What happens to an account: entries, each with the numbers after it.

use serde::{Deserialize, Serialize};

use crate::event::{Payload, events};
use crate::id::{NodeId, TransactionId};
use crate::money::Currency;

events! { Account:
    /// A transaction moved, held or announced money.
    Entry = 30 v 1 "account.entry",
}

/// One entry, in minor units as the owner sees them; the last one is the account's state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The node.
    pub node: NodeId,
    /// The currency.
    pub currency: Currency,
    /// The transaction whose step this is.
    pub cause: TransactionId,
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
}

impl Payload for Entry {}
