//! Documents of a user: what may be known about them without opening their box.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::event::Event;
use crate::sealed::Sealed;
use crate::time::Timestamp;

/// Id of a document or of one of its parts: 64 hex digits (`docs/reference/api.md`, Users).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SubDocumentId(String);

impl SubDocumentId {
    /// The id with these 256 bits.
    #[must_use]
    pub fn new(bits: [u8; 32]) -> Self {
        use fmt::Write;
        Self(bits.iter().fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        }))
    }

    /// The 64 hex digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SubDocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which list of a document a part is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SubDocumentGroup {
    /// E-mail, phone, IP and the like.
    Social,
    /// Numbers: SSN, EIN and the like.
    Virtual,
    /// Images.
    Physical,
}

/// How far the review of a part has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SubDocumentStatus {
    /// Not looked at yet.
    #[serde(rename = "REVIEWING")]
    Reviewing,
    /// In order.
    #[serde(rename = "VALID")]
    Valid,
    /// Not in order.
    #[serde(rename = "INVALID")]
    Invalid,
    /// The person is asked further questions.
    #[serde(rename = "MFA_PENDING")]
    MfaPending,
}

/// One part of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubDocument {
    /// Its id.
    pub id: SubDocumentId,
    /// The list that it is in.
    pub group: SubDocumentGroup,
    /// What it is: SSN, EMAIL, `GOVT_ID`, …
    #[serde(rename = "type")]
    pub document_type: String,
    /// How far its review has come.
    pub status: SubDocumentStatus,
    /// When its status changed last; the moment of the event unless said otherwise.
    #[serde(default)]
    pub updated_at: Timestamp,
}

/// A document: an identity with its parts. What is written on it stays with the event that brought it: with images it
/// can be megabytes, and states travel through caches and read models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its id.
    pub id: SubDocumentId,
    /// Its parts.
    pub parts: Vec<SubDocument>,
}

/// The box of each document among a user's events, by the document's id.
pub fn boxes<'a>(
    events: impl IntoIterator<Item = &'a crate::Event>,
) -> HashMap<&'a SubDocumentId, &'a Sealed> {
    let added = |event: &'a crate::Event| {
        let crate::Event::User(Event::DocumentAdded(added)) = event else { return None };
        Some((&added.document.id, added.contents.as_ref()?))
    };
    events.into_iter().filter_map(added).collect()
}
