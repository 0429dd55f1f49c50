//! Events of an attestation: each commits to a newer tree.

use serde::{Deserialize, Serialize};

use crate::event::{Payload, events};

events! { Attestation:
    /// A tree of last entries was committed to.
    Made = 110 v 1 "attestation.made",
}

/// Stored number of the event type [`Made`]. Readers find attestations by it without reading the rest of the log.
pub const MADE: i16 = 110;

/// Newest entries of a platform's accounts at a position. The JSON is byte for byte the form of the tree of last
/// entries in `docs/reference/proof.md`, so the fields and their order are fixed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// Last log position that the tree covers.
    pub position: u64,
    /// Number of accounts with an entry up to that position.
    pub accounts: u64,
    /// Root of the tree of last entries: 32 bytes, in base64.
    pub root: Box<str>,
}

impl Payload for Made {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_matches_the_event_type() {
        let numbered = Event::SCHEMAS.iter().find(|(schema, _)| schema.event_type == MADE);
        assert_eq!(numbered.map(|(_, name)| *name), Some("attestation.made"));
    }
}
