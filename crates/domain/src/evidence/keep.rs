//! Keep a part of a bank's file, or of the lines in it, before the file is accepted. A part that no accepted statement
//! uses has no effect.

use super::Refusal;
use super::event::Opened;
use crate::aggregate::{Key, NewEvent};
use crate::attachment::NewAttachment;
use crate::calendar::Month;
use crate::decide::Decide;
use crate::id::{CustodyId, EvidenceId, PlatformId, UserId};
use crate::platform;
use crate::state::States;
use crate::time::Timestamp;

/// Command to keep a part of a bank's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeepPart {
    /// Platform whose file it is.
    pub platform: PlatformId,
    /// The platform's own user.
    pub subject: UserId,
    /// The account at the bank.
    pub custody: CustodyId,
    /// Month under whose keys the part is sealed.
    pub month: Month,
    /// The part. Its id follows from the file's hash and the number of the part.
    pub part: NewAttachment,
}

impl KeepPart {
    /// The evidence under whose keys the part is sealed.
    #[must_use]
    pub fn evidence(&self) -> EvidenceId {
        EvidenceId::of(self.custody, self.month)
    }
}

impl Decide for KeepPart {
    fn subject(&self) -> Key {
        self.part.id.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.part.id.into(), self.evidence().into(), self.platform.into()]
    }

    /// Decides. Changes nothing if the part is kept already. Refuses if the keys of the month are destroyed.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let policy = &states.platform(self.platform).ok_or(platform::Refusal::Unknown)?.policy;
        let id = self.evidence();
        let evidence = states.evidence(id);
        if states.state(self.part.id.into()).is_some() {
            return Ok(vec![]);
        }
        if evidence.is_some_and(|evidence| evidence.is_destroyed) {
            return Err(Refusal::Destroyed.into());
        }
        let &Self { platform, custody, month, .. } = self;
        let kept_until = policy.evidence_kept_until(month);
        let opened = Opened { platform, custody, month, kept_until };
        let opened = evidence.is_none().then(|| NewEvent::new(id, opened));
        let added = self.part.kept(platform, self.subject, id);
        Ok(opened.into_iter().chain([added]).collect())
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

#[cfg(test)]
mod tests;
