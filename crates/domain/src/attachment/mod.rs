//! Attachment: an uploaded file that belongs to another record, such as the image of a document or a file with a
//! transaction.
//!
//! A file can be megabytes. It has a stream of its own, so that a reader of the other record does not read it.

pub mod event;

pub use event::{Added, Event};
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind, NewEvent};
use crate::id::{AttachmentId, EvidenceId, PlatformId, UserId};
use crate::sealed::Sealed;
use crate::time::Timestamp;

/// State of an attachment. The file stays in the sealed box of the event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Platform of the subject.
    pub platform: PlatformId,
    /// Subject of the file: the user under whose keys the box is sealed.
    pub subject: UserId,
    /// Evidence under whose keys the box is sealed instead, if the file is a part of a bank's file.
    pub evidence: Option<EvidenceId>,
}

/// An attachment that a command uploads, under its future id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAttachment {
    /// Id of the attachment, chosen just now.
    pub id: AttachmentId,
    /// Sealed box, class document: the file.
    pub contents: Sealed,
}

impl NewAttachment {
    /// Returns the event of the upload.
    pub(crate) fn added(&self, platform: PlatformId, subject: UserId) -> NewEvent {
        let contents = Some(self.contents.clone());
        NewEvent::new(self.id, Added { platform, subject, evidence: None, contents })
    }

    /// Returns the event that keeps a part of a bank's file as `evidence`.
    pub(crate) fn kept(&self, platform: PlatformId, subject: UserId, evidence: EvidenceId) -> NewEvent {
        let contents = Some(self.contents.clone());
        NewEvent::new(self.id, Added { platform, subject, evidence: Some(evidence), contents })
    }
}

impl Aggregate for Attachment {
    type Event = Event;
    const KIND: Kind = Kind::Attachment;

    fn begin(event: &Event, _at: Timestamp) -> Option<Self> {
        let Event::Added(added) = event;
        Some(Self { platform: added.platform, subject: added.subject, evidence: added.evidence })
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Always the first event of its stream.
            Event::Added(_) => {}
        }
    }
}
