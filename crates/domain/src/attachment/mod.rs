//! Attachment: a file that was handed in with something else, as the image of a document or a paper to a transaction.
//!
//! It can be megabytes, so it is a stream of its own: whoever reads what it belongs to does not read it.

pub mod event;

pub use event::{Added, Event};
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Fact, Kind};
use crate::id::{AttachmentId, PlatformId, UserId};
use crate::sealed::Sealed;
use crate::time::Timestamp;

/// An attachment as its one event tells it; the file stays in the event's box.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// The platform of its subject.
    pub platform: PlatformId,
    /// Whom it is about, and under whose keys its box is sealed.
    pub subject: UserId,
}

/// A file that comes with a command, under the id that it shall have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAttachment {
    /// Its id, chosen for it just now.
    pub id: AttachmentId,
    /// Box, class document: the file.
    pub contents: Sealed,
}

impl NewAttachment {
    /// That it was handed in.
    pub(crate) fn added(&self, platform: PlatformId, subject: UserId) -> Fact {
        Fact::new(self.id, Added { platform, subject, contents: Some(self.contents.clone()) })
    }
}

impl Aggregate for Attachment {
    type Event = Event;
    const KIND: Kind = Kind::Attachment;

    fn begin(event: &Event, _at: Timestamp) -> Option<Self> {
        let Event::Added(added) = event;
        Some(Self { platform: added.platform, subject: added.subject })
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Only ever the first event of its stream.
            Event::Added(_) => {}
        }
    }
}
