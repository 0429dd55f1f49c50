//! Create a user with its documents. Whether they are true is found out later.

use super::document::Document;
use super::event::{Created, DocumentAdded};
use crate::aggregate::{Fact, Key};
use crate::command::Refusal;
use crate::id::{PlatformId, UserId};
use crate::sealed::Sealed;
use crate::state::States;

/// Asks for a new user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Create {
    /// The id that it shall have.
    pub id: UserId,
    /// The platform that asks.
    pub platform: PlatformId,
    /// A business rather than a person.
    pub is_business: bool,
    /// Which of the platform's identification programs applies.
    pub cip_tag: i64,
    /// Box, class profile.
    pub profile: Sealed,
    /// Documents, each with its box.
    pub documents: Vec<(Document, Sealed)>,
}

impl Create {
    /// The states that the decision looks at.
    #[must_use]
    pub fn needs(&self) -> Vec<Key> {
        vec![self.id.into()]
    }

    /// Decides. The same command again changes nothing.
    pub fn decide(&self, states: &impl States) -> Result<Vec<Fact>, Refusal> {
        if states.user(self.id).is_some() {
            return Ok(vec![]);
        }
        let created = Created {
            platform: self.platform,
            is_business: self.is_business,
            cip_tag: self.cip_tag,
            profile: Some(self.profile.clone()),
        };
        let mut facts = vec![Fact::new(self.id, created)];
        facts.extend(self.documents.iter().map(|(document, contents)| {
            let added = DocumentAdded { document: document.clone(), contents: Some(contents.clone()) };
            Fact::new(self.id, added)
        }));
        Ok(facts)
    }
}
