//! Keep a part of a bank's file, or of the lines in it, before the file is accepted. A part that no accepted statement
//! uses has no effect.

use crate::aggregate::{Key, NewEvent};
use crate::attachment::NewAttachment;
use crate::decide::Decide;
use crate::id::{PlatformId, UserId};
use crate::platform;
use crate::state::States;
use crate::time::Timestamp;

/// Command to keep a part of a bank's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeepPart {
    /// Platform whose file it is.
    pub platform: PlatformId,
    /// User under whose keys the part is sealed: the platform's own.
    pub subject: UserId,
    /// The part. Its id follows from the file's hash and the number of the part.
    pub part: NewAttachment,
}

impl Decide for KeepPart {
    fn subject(&self) -> Key {
        self.part.id.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.part.id.into(), self.platform.into()]
    }

    /// Decides. Changes nothing if the part is kept already.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        states.platform(self.platform).ok_or(platform::Refusal::Unknown)?;
        let is_kept = states.state(self.part.id.into()).is_some();
        Ok((!is_kept).then(|| self.part.added(self.platform, self.subject)).into_iter().collect())
    }

    fn platform_of_new(&self) -> Option<PlatformId> {
        Some(self.platform)
    }

    /// Returns `None`: an earlier intake of the same file may have kept the part.
    fn creates(&self) -> Option<Key> {
        None
    }

    fn weight(&self) -> usize {
        self.part.contents.bytes.len()
    }
}
