//! Events of an attachment: its upload.

use serde::{Deserialize, Serialize};

use crate::event::{carries_a_box, events};
use crate::id::{PlatformId, UserId};
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
    /// Subject of the file: the user under whose keys the box is sealed.
    pub subject: UserId,
    /// Sealed box, class document: the file.
    #[serde(skip)]
    pub contents: Option<Sealed>,
}

carries_a_box!(Added.contents);
