//! Create a user with its documents. Verification checks them later.

use super::document::{Document, Part, boxes};
use super::event::{Created, DocumentAdded};
use super::update::fit;
use crate::aggregate::{Key, NewEvent};
use crate::attachment::NewAttachment;
use crate::decide::Decide;
use crate::id::{PlatformId, UserId};
use crate::refusal::Refusal;
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;

/// Command to create a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Create {
    /// Id of the new user.
    pub id: UserId,
    /// The calling platform.
    pub platform: PlatformId,
    /// True for a business, false for a person.
    pub is_business: bool,
    /// Number of the platform's identification program that applies.
    pub cip_tag: i64,
    /// Sealed box, class profile.
    pub profile: Sealed,
    /// Documents of the user.
    pub documents: Vec<Document>,
    /// Images of documents.
    pub attachments: Vec<NewAttachment>,
}

impl Decide for Create {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.id.into()]
    }

    /// Decides. The same command again changes nothing.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, Refusal> {
        if states.user(self.id).is_some() {
            return Ok(vec![]);
        }
        fit(self.documents.iter())?;
        let created = Created {
            platform: self.platform,
            is_business: self.is_business,
            cip_tag: self.cip_tag,
            profile: Some(self.profile.clone()),
        };
        let documents = self.documents.iter().map(|Document { id, parts, contents }| {
            let parts = parts.iter().map(Part::unseen).collect();
            let (id, contents) = (id.clone(), contents.clone());
            NewEvent::new(self.id, DocumentAdded { id, parts, contents })
        });
        let images = self.attachments.iter().map(|image| image.added(self.platform, self.id));
        Ok(std::iter::once(NewEvent::new(self.id, created)).chain(images).chain(documents).collect())
    }

    fn platform_of_new(&self) -> Option<PlatformId> {
        Some(self.platform)
    }

    fn attachments(&self) -> &[NewAttachment] {
        &self.attachments
    }

    fn weight(&self) -> usize {
        self.profile.bytes.len() + boxes(&self.documents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixture::{ANN, PLATFORM, part_id, person, sealed};
    use crate::testing::given;
    use crate::user::Permission;

    const EVE: UserId = UserId::from_u128(9);

    #[test]
    fn new_user_has_documents_and_is_unverified() {
        let eve = person(EVE, &["EMAIL", "SSN"]);
        let created =
            Created { platform: PLATFORM, is_business: false, cip_tag: 1, profile: Some(sealed(9)) };
        let Document { id, parts, contents } = eve.documents[0].clone();
        let parts = parts.iter().map(Part::unseen).collect();
        let added = DocumentAdded { id, parts, contents };
        let world = given([]).when(eve).then([NewEvent::new(EVE, created), NewEvent::new(EVE, added)]);
        let user = world.user(EVE).expect("made");
        assert_eq!(user.permission(), Permission::Unverified);
        assert_eq!(user.documents.len(), 1);
        assert_eq!(user.documents[0].parts[1].id, part_id(EVE, 1));
    }

    #[test]
    fn user_needs_no_documents() {
        let world = given([]).when(person(EVE, &[])).accepted();
        assert_eq!(world.user(EVE).map(|user| user.documents.len()), Some(0));
    }

    #[test]
    fn repeated_creation_changes_nothing() {
        given([]).when(Create { is_business: true, ..person(ANN, &["SSN"]) }).then([]);
    }
}
