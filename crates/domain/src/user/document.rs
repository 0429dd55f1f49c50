//! Documents of a user: the data that is readable without opening their sealed boxes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Permission;
use crate::id::AttachmentId;
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

/// List of a document to which a part belongs.
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

/// Status of the review of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SubDocumentStatus {
    /// Not reviewed yet.
    #[serde(rename = "REVIEWING")]
    Reviewing,
    /// Accepted by the review.
    #[serde(rename = "VALID")]
    Valid,
    /// Rejected by the review.
    #[serde(rename = "INVALID")]
    Invalid,
    /// The person has to answer further questions.
    #[serde(rename = "MFA_PENDING")]
    MfaPending,
}

impl SubDocumentStatus {
    /// Result of the review; `None` before it.
    #[must_use]
    pub const fn verdict(self) -> Option<Verdict> {
        match self {
            Self::Reviewing => None,
            Self::Valid => Some(Verdict::Valid),
            Self::Invalid => Some(Verdict::Invalid),
            Self::MfaPending => Some(Verdict::MfaPending),
        }
    }
}

/// Result of the review of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Accepted.
    #[serde(rename = "VALID")]
    Valid,
    /// Rejected.
    #[serde(rename = "INVALID")]
    Invalid,
    /// The person has to answer further questions.
    #[serde(rename = "MFA_PENDING")]
    MfaPending,
}

impl From<Verdict> for SubDocumentStatus {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Valid => Self::Valid,
            Verdict::Invalid => Self::Invalid,
            Verdict::MfaPending => Self::MfaPending,
        }
    }
}

/// Result of the review of a part, with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The result.
    pub verdict: Verdict,
    /// Time of the result.
    pub at: Timestamp,
}

/// One part of a document, as it was handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Id of the part.
    pub id: SubDocumentId,
    /// List to which the part belongs.
    pub group: SubDocumentGroup,
    /// Type of the part: SSN, EMAIL, `GOVT_ID`, …
    #[serde(rename = "type")]
    pub document_type: String,
    /// Image of the part, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<AttachmentId>,
    /// Earlier finding that still applies; without one, the part waits for its review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Finding>,
}

impl Part {
    /// A part that waits for its review, whatever the status that it came with.
    pub(super) fn unseen(part: &SubDocument) -> Self {
        let SubDocument { id, group, document_type, image, .. } = part.clone();
        Self { id, group, document_type, image, found: None }
    }
}

/// One part of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubDocument {
    /// Id of the part.
    pub id: SubDocumentId,
    /// List to which the part belongs.
    pub group: SubDocumentGroup,
    /// Type of the part: SSN, EMAIL, `GOVT_ID`, …
    #[serde(rename = "type")]
    pub document_type: String,
    /// Status of the review.
    pub status: SubDocumentStatus,
    /// Time of the last change of the status. While the part waits for its review, the time at which it was handed in.
    #[serde(default)]
    pub updated_at: Timestamp,
    /// Image of the part, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<AttachmentId>,
}

/// A document: a proof of identity, in parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Id of the document.
    pub id: SubDocumentId,
    /// Parts of the document.
    pub parts: Vec<SubDocument>,
    /// Sealed box, class document: everything that is written on it. The images are attachments.
    pub contents: Option<Sealed>,
}

/// Size of the sealed boxes of `documents`, in bytes.
pub(super) fn boxes<'a>(documents: impl IntoIterator<Item = &'a Document>) -> usize {
    let contents = documents.into_iter().filter_map(|document| document.contents.as_ref());
    contents.map(|sealed| sealed.bytes.len()).sum()
}

impl SubDocument {
    /// The part as it was handed in at `at`.
    fn told(part: &Part, at: Timestamp) -> Self {
        let Part { id, group, document_type, image, found } = part.clone();
        let status = found.map_or(SubDocumentStatus::Reviewing, |found| found.verdict.into());
        Self { id, group, document_type, status, updated_at: found.map_or(at, |found| found.at), image }
    }

    /// The finding about the part, if there is one.
    pub(super) fn finding(&self) -> Option<Finding> {
        self.status.verdict().map(|verdict| Finding { verdict, at: self.updated_at })
    }
}

impl Document {
    /// The document as it was handed in at `at`.
    pub(super) fn told(id: &SubDocumentId, parts: &[Part], contents: Option<&Sealed>, at: Timestamp) -> Self {
        let parts = parts.iter().map(|part| SubDocument::told(part, at)).collect();
        Self { id: id.clone(), parts, contents: contents.cloned() }
    }
}

/// The highest permission that these documents support once all of their parts are valid: with an SSN to send and
/// receive, with any other part to receive (`docs/reference/api.md`, Users).
pub(super) fn supported<'a>(documents: impl IntoIterator<Item = &'a Document>) -> Permission {
    let mut parts = documents.into_iter().flat_map(|document| &document.parts).peekable();
    match (parts.peek().is_some(), parts.any(|part| part.document_type == "SSN")) {
        (true, true) => Permission::SendAndReceive,
        (true, false) => Permission::Receive,
        (false, _) => Permission::Unverified,
    }
}
