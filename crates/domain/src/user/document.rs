//! Documents of a user: what may be known about them without opening their box.

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

impl SubDocumentStatus {
    /// What the review found; none if it is to come.
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

/// What a review found about a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
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

impl From<Verdict> for SubDocumentStatus {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Valid => Self::Valid,
            Verdict::Invalid => Self::Invalid,
            Verdict::MfaPending => Self::MfaPending,
        }
    }
}

/// What was found about a part, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What.
    pub verdict: Verdict,
    /// When.
    pub at: Timestamp,
}

/// One part of a document as it was handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its id.
    pub id: SubDocumentId,
    /// The list that it is in.
    pub group: SubDocumentGroup,
    /// What it is: SSN, EMAIL, `GOVT_ID`, …
    #[serde(rename = "type")]
    pub document_type: String,
    /// Its image, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<AttachmentId>,
    /// What was found about it before and still holds; it waits for its review from now on if nothing was.
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
    /// Its id.
    pub id: SubDocumentId,
    /// The list that it is in.
    pub group: SubDocumentGroup,
    /// What it is: SSN, EMAIL, `GOVT_ID`, …
    #[serde(rename = "type")]
    pub document_type: String,
    /// How far its review has come.
    pub status: SubDocumentStatus,
    /// When its status changed last: when it was handed in, if it waits for its review.
    #[serde(default)]
    pub updated_at: Timestamp,
    /// Its image, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<AttachmentId>,
}

/// A document: an identity with its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its id.
    pub id: SubDocumentId,
    /// Its parts.
    pub parts: Vec<SubDocument>,
    /// Box, class document: everything that is written on it; its images are attachments.
    pub contents: Option<Sealed>,
}

/// How many bytes the boxes of `documents` have.
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

    /// What was found about it, if something was.
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

/// What may be permitted at most to whom these documents belong, once all of it is found valid: with an SSN to send, with
/// anything else to receive (`docs/reference/api.md`, Users).
pub(super) fn supported<'a>(documents: impl IntoIterator<Item = &'a Document>) -> Permission {
    let mut parts = documents.into_iter().flat_map(|document| &document.parts).peekable();
    match (parts.peek().is_some(), parts.any(|part| part.document_type == "SSN")) {
        (true, true) => Permission::SendAndReceive,
        (true, false) => Permission::Receive,
        (false, _) => Permission::Unverified,
    }
}
