//! What happens to an attestation: the next one is made.

use serde::{Deserialize, Serialize};

use crate::event::{Payload, events};

events! { Attestation:
    /// The tree of last entries was committed to.
    Made = 110 v 1 "attestation.made",
}

/// What the platform's accounts held at a position. Byte by byte what `docs/reference/proof.md` has for the tree of last
/// entries, so its fields are these, in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// The last position that was looked at.
    pub position: u64,
    /// How many accounts had an entry by then.
    pub accounts: u64,
    /// Root of the tree of their last entries: 32 bytes, in base64.
    pub root: Box<str>,
}

impl Payload for Made {}
