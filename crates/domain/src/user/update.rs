//! Update a user: its profile, its documents, or its permission.
//!
//! Only the caller can open and change the sealed boxes of profile and documents, so the command names the revision
//! from which it was made. A command that was made from an older revision is refused as stale, and no concurrent change
//! is lost.

use super::document::{boxes, supported};
use super::event::{DocumentAdded, DocumentChanged, DocumentRemoved, PermissionSet, ProfileSet};
use super::{Document, Part, Permission, Refusal, SubDocument, SubDocumentId, SubDocumentStatus, User, find};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::attachment::NewAttachment;
use crate::decide::Decide;
use crate::id::{PlatformId, UserId};
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;

/// Maximum number of documents of one user. The state of the user contains all of them.
pub const MAX_DOCUMENTS: usize = 20;

/// Maximum size in bytes of the boxes of all documents of one user, for the same reason.
pub const MAX_BYTES: usize = 256 * 1024;

/// Command to change a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The user.
    pub user: UserId,
    /// Platform of the caller.
    pub platform: PlatformId,
    /// Revision of the user from which the change was made.
    pub revision: u32,
    /// The whole new profile, if it changes.
    pub profile: Option<NewProfile>,
    /// Changes of documents, in this order.
    pub documents: Vec<DocumentChange>,
    /// Images of documents.
    pub attachments: Vec<NewAttachment>,
    /// The new permission, if it changes.
    pub permission: Option<Permission>,
    /// True if the call also carried the platform's own credentials.
    pub by_gateway: bool,
    /// Origin of the request.
    pub origin: Origin,
}

/// A whole profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewProfile {
    /// Number of the platform's identification program that applies.
    pub cip_tag: i64,
    /// Sealed box, class profile.
    pub contents: Sealed,
}

/// A change of one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentChange {
    /// Adds a document.
    Add(Document),
    /// Replaces a document.
    Set(Document),
    /// Removes a document.
    Remove(SubDocumentId),
}

impl DocumentChange {
    fn fact(&self, id: UserId, user: &User) -> NewEvent {
        match self {
            Self::Add(document) => {
                let (parts, contents) = (parts(document, user), document.contents.clone());
                NewEvent::new(id, DocumentAdded { id: document.id.clone(), parts, contents })
            }
            Self::Set(document) => {
                let (parts, contents) = (parts(document, user), document.contents.clone());
                NewEvent::new(id, DocumentChanged { id: document.id.clone(), parts, contents })
            }
            Self::Remove(document) => NewEvent::new(id, DocumentRemoved { id: document.clone() }),
        }
    }

    /// The document after the change, unless it is removed.
    #[must_use]
    pub const fn document(&self) -> Option<&Document> {
        match self {
            Self::Add(document) | Self::Set(document) => Some(document),
            Self::Remove(_) => None,
        }
    }

    /// Id of the document that has to exist before the change.
    fn known(&self) -> Option<&SubDocumentId> {
        match self {
            Self::Add(_) => None,
            Self::Set(document) => Some(&document.id),
            Self::Remove(id) => Some(id),
        }
    }

    fn removed(&self) -> Option<&SubDocumentId> {
        match self {
            Self::Add(_) | Self::Set(_) => None,
            Self::Remove(id) => Some(id),
        }
    }
}

/// Parts with their earlier findings, or waiting for their review: a caller cannot claim that a part is valid.
fn parts(document: &Document, user: &User) -> Vec<Part> {
    let known = |id: &SubDocumentId| {
        user.documents.iter().flat_map(|document| &document.parts).find(|known| known.id == *id)
    };
    let part = |part: &SubDocument| {
        let stays = part.status != SubDocumentStatus::Reviewing;
        let found = known(&part.id).filter(|_| stays).and_then(SubDocument::finding);
        Part { found, ..Part::unseen(part) }
    };
    document.parts.iter().map(part).collect()
}

/// Refuses documents that are more than one user may have.
pub(super) fn fit<'a>(documents: impl Iterator<Item = &'a Document>) -> Result<(), Refusal> {
    let (mut count, mut bytes) = (0, 0);
    for document in documents {
        count += 1;
        bytes += document.contents.as_ref().map_or(0, |sealed| sealed.bytes.len());
    }
    if count > MAX_DOCUMENTS {
        return Err(Refusal::TooManyDocuments);
    }
    if bytes > MAX_BYTES { Err(Refusal::TooLongDocuments) } else { Ok(()) }
}

impl Decide for Update {
    fn subject(&self) -> Key {
        self.user.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.user.into()]
    }

    /// Decides: all of the changes or none.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let user = find(states, self.platform, self.user)?;
        let changes_words = self.profile.is_some() || !self.documents.is_empty();
        if changes_words && user.permitted.is_closed() {
            return Err(Refusal::Closed.into());
        }
        if changes_words && user.revision != self.revision {
            return Err(Refusal::Stale.into());
        }
        self.check_documents(user)?;
        let is_own = states.platform(self.platform).is_some_and(|platform| platform.user == self.user);
        let mut facts = self.words(user);
        facts.extend(
            self.permission(user, is_own)?.map(|permission| {
                NewEvent::new(self.user, PermissionSet { permission, origin: self.origin })
            }),
        );
        Ok(facts)
    }

    fn attachments(&self) -> &[NewAttachment] {
        &self.attachments
    }

    fn weight(&self) -> usize {
        let profile = self.profile.as_ref().map_or(0, |profile| profile.contents.bytes.len());
        profile + boxes(self.documents.iter().filter_map(DocumentChange::document))
    }
}

impl Update {
    fn words(&self, user: &User) -> Vec<NewEvent> {
        let images = self.attachments.iter().map(|image| image.added(self.platform, self.user));
        let profile = self.profile.iter().map(|new| {
            let (cip_tag, profile) = (new.cip_tag, Some(new.contents.clone()));
            NewEvent::new(self.user, ProfileSet { cip_tag, origin: self.origin, profile })
        });
        let documents = self.documents.iter().map(|change| change.fact(self.user, user));
        images.chain(profile).chain(documents).collect()
    }

    fn check_documents(&self, user: &User) -> Result<(), Refusal> {
        let is_there = |id: &SubDocumentId| user.documents.iter().any(|document| document.id == *id);
        if self.documents.iter().filter_map(DocumentChange::known).any(|id| !is_there(id)) {
            return Err(Refusal::UnknownDocument);
        }
        let touched: Vec<_> = self.documents.iter().filter_map(DocumentChange::known).collect();
        let untouched = user.documents.iter().filter(|document| !touched.contains(&&document.id));
        fit(untouched.chain(self.documents.iter().filter_map(DocumentChange::document)))
    }

    /// The new permission of the user, if it changes: the requested one, bounded by the remaining documents if one is
    /// removed. A removal alone may also raise it. A contract identifies the platform's own user, so its documents do
    /// not count.
    fn permission(&self, user: &User, is_own: bool) -> Result<Option<Permission>, Refusal> {
        let wanted = self.permission.unwrap_or(user.permitted);
        if wanted != user.permitted && is_own {
            return Err(Refusal::OwnUser);
        }
        user.permitted.may_become(wanted, self.by_gateway)?;
        let removed: Vec<_> = self.documents.iter().filter_map(DocumentChange::removed).collect();
        if removed.is_empty() || is_own {
            return Ok(Some(wanted).filter(|wanted| *wanted != user.permitted));
        }
        let left = || user.documents.iter().filter(|document| !removed.contains(&&document.id));
        let is_valid = |part: &SubDocument| part.status == SubDocumentStatus::Valid;
        // The removed document may be the one that kept the permission low.
        let is_all_valid = left().flat_map(|document| &document.parts).all(is_valid);
        let raises = is_all_valid && self.permission.is_none() && user.permitted.is_found();
        let permission = if raises { supported(left()) } else { wanted.min(supported(left())) };
        Ok(Some(permission).filter(|permission| *permission != user.permitted))
    }
}

#[cfg(test)]
mod tests;
