//! What happens to an attestation: the next one is made.

use serde::{Deserialize, Serialize};

use crate::event::{Payload, events};

events! { Attestation:
    /// The tree of last entries was committed to.
    Made = 110 v 1 "attestation.made",
}

/// The stored number of [`Made`]: by it they are found without reading the rest of the log.
pub const MADE: i16 = 110;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_an_attestation_is_that_of_its_event() {
        let numbered = Event::SCHEMAS.iter().find(|(schema, _)| schema.event_type == MADE);
        assert_eq!(numbered.map(|(_, name)| *name), Some("attestation.made"));
    }
}
