//! User: a person or a business that owns nodes. Its identity is checked.

pub mod create;
pub mod document;
pub mod erase;
pub mod event;
pub mod lock;
pub mod permission;
pub mod permit;
pub mod refusal;
pub mod retain;
pub mod update;
pub mod verify;

pub use document::{
    Document, Finding, Part, SubDocument, SubDocumentGroup, SubDocumentId, SubDocumentStatus, Verdict,
};
pub use erase::{Erasure, ErasureReason};
pub use event::{
    Created, DocumentAdded, DocumentChanged, DocumentRemoved, Erased, Event, Locked, MicroDepositsCounted,
    PermissionSet, ProfileSet, RetentionSet, Unlocked, Verified,
};
pub use permission::Permission;
pub use refusal::Refusal;
pub use retain::{HoldReason, Retention};
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::calendar::Day;
use crate::id::{PlatformId, UserId};
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;

/// State of a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// The platform that owns the user.
    pub platform: PlatformId,
    /// Permission, without regard to a lock; see [`User::permission`].
    pub permitted: Permission,
    /// True if an operator locked the user.
    pub is_locked: bool,
    /// True for a business, false for a person.
    pub is_business: bool,
    /// Number of the platform's identification program that applies.
    pub cip_tag: i64,
    /// Sealed box, class profile.
    pub profile: Option<Sealed>,
    /// Documents in the order in which they were handed in.
    pub documents: Vec<Document>,
    /// Number of changes to the profile or the documents. A command that changes or checks them names the revision from
    /// which it was made.
    pub revision: u32,
    /// Retention date and legal hold: obstacles to the erasure.
    #[serde(default, skip_serializing_if = "Retention::is_unset")]
    pub retention: Retention,
    /// The erasure, if the user is erased. The boxes are removed from this state, and no copy of them can be opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased: Option<Erasure>,
    /// The newest day on which micro-deposits to the user's accounts were counted, and their number on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_deposits: Option<MicroDepositsCounted>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last event.
    pub updated_at: Timestamp,
}

impl User {
    /// The permission in the present state.
    #[must_use]
    pub const fn permission(&self) -> Permission {
        if self.is_locked { Permission::Locked } else { self.permitted }
    }

    /// Returns true if lists of the platform's users show the user.
    #[must_use]
    pub const fn is_listed(&self) -> bool {
        !matches!(self.permitted, Permission::MakeItGoAway)
    }

    /// Number of sendings of micro-deposits to the user's accounts that were counted on `day`.
    #[must_use]
    pub fn micro_deposits_on(&self, day: Day) -> u16 {
        self.micro_deposits.filter(|counted| counted.day == day).map_or(0, |counted| counted.count)
    }

    /// Time from which a document waits for its review, if one does.
    #[must_use]
    pub fn in_review_since(&self) -> Option<Timestamp> {
        if self.erased.is_some() {
            return None;
        }
        let parts = self.documents.iter().flat_map(|document| &document.parts);
        parts.filter(|part| part.status == SubDocumentStatus::Reviewing).map(|part| part.updated_at).min()
    }
}

/// The user `id`, if it belongs to `platform`.
pub(crate) fn find(states: &impl States, platform: PlatformId, id: UserId) -> Result<&User, Refusal> {
    states.user(id).filter(|user| user.platform == platform).ok_or(Refusal::Unknown)
}

impl User {
    fn revise(&mut self) {
        self.revision = self.revision.wrapping_add(1);
    }
}

impl Aggregate for User {
    type Event = Event;
    const KIND: Kind = Kind::User;

    fn begin(event: &Event, at: Timestamp) -> Option<Self> {
        match event {
            Event::Created(created) => Some(Self {
                platform: created.platform,
                permitted: Permission::Unverified,
                is_locked: false,
                is_business: created.is_business,
                cip_tag: created.cip_tag,
                profile: created.profile.clone(),
                documents: Vec::new(),
                revision: 0,
                retention: Retention::default(),
                erased: None,
                micro_deposits: None,
                created_at: at,
                updated_at: at,
            }),
            Event::DocumentAdded(_)
            | Event::Verified(_)
            | Event::PermissionSet(_)
            | Event::Locked(_)
            | Event::Unlocked(_)
            | Event::ProfileSet(_)
            | Event::DocumentChanged(_)
            | Event::DocumentRemoved(_)
            | Event::RetentionSet(_)
            | Event::MicroDepositsCounted(_)
            | Event::Erased(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, at: Timestamp) {
        self.updated_at = at;
        match event {
            // Always the first event of its stream.
            Event::Created(_) => {}
            Event::DocumentAdded(added) => {
                self.documents.push(Document::told(&added.id, &added.parts, added.contents.as_ref(), at));
                self.revise();
            }
            Event::DocumentChanged(changed) => {
                let told = Document::told(&changed.id, &changed.parts, changed.contents.as_ref(), at);
                for document in self.documents.iter_mut().filter(|document| document.id == changed.id) {
                    document.clone_from(&told);
                }
                self.revise();
            }
            Event::DocumentRemoved(removed) => {
                self.documents.retain(|document| document.id != removed.id);
                self.revise();
            }
            Event::ProfileSet(set) => {
                (self.cip_tag, self.profile) = (set.cip_tag, set.profile.clone());
                self.revise();
            }
            Event::Verified(verified) => {
                self.permitted = verified.permission;
                for part in self.documents.iter_mut().flat_map(|document| &mut document.parts) {
                    if let Some((_, status)) = verified.findings.iter().find(|(id, _)| *id == part.id) {
                        part.status = *status;
                        part.updated_at = at;
                    }
                }
                self.revise();
            }
            Event::PermissionSet(set) => self.permitted = set.permission,
            Event::Locked(_) => self.is_locked = true,
            Event::Unlocked(_) => self.is_locked = false,
            Event::RetentionSet(set) => self.retention = set.retention,
            Event::MicroDepositsCounted(counted) => self.micro_deposits = Some(*counted),
            Event::Erased(erased) => {
                self.erased = Some(Erasure { at, reason: erased.reason });
                self.profile = None;
                for document in &mut self.documents {
                    document.contents = None;
                }
                self.revise();
            }
        }
    }
}
