//! Events of an attachment: its upload.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::event::{carries_a_box, events};
use crate::id::{EvidenceId, PlatformId, UserId};
use crate::sealed::Sealed;

events! { Attachment:
    /// The attachment was uploaded.
    Added = 100 v 1 "attachment.added",
}

/// The attachment was uploaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// Platform of the subject.
    pub platform: PlatformId,
    /// Subject of the file: the user under whose keys the box is sealed, if no evidence is named.
    pub subject: UserId,
    /// Evidence under whose keys the box is sealed instead, if the file is a part of a bank's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceId>,
    /// Sealed box, class document: the file.
    #[serde(skip)]
    pub contents: Option<Sealed>,
}

impl Added {
    /// Id under whose keys the box is sealed.
    #[must_use]
    pub fn key_holder(&self) -> Uuid {
        self.evidence.map_or_else(|| self.subject.into(), Uuid::from)
    }
}

carries_a_box!(Added.contents);
