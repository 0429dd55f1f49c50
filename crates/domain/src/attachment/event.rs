//! What happens to an attachment: it is handed in.

use serde::{Deserialize, Serialize};

use crate::event::{carries_a_box, events};
use crate::id::{PlatformId, UserId};
use crate::sealed::Sealed;

events! { Attachment:
    /// It was handed in.
    Added = 100 v 1 "attachment.added",
}

/// The attachment was handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// The platform of its subject.
    pub platform: PlatformId,
    /// Whom it is about, and under whose keys its box is sealed.
    pub subject: UserId,
    /// Box, class document: the file.
    #[serde(skip)]
    pub contents: Option<Sealed>,
}

carries_a_box!(Added.contents);
