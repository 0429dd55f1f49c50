//! What happens to a user. Names, addresses and numbers are in boxes; ids, types and statuses are clear.

mod v1;

use serde::{Deserialize, Serialize};

use super::document::{Part, SubDocumentId, SubDocumentStatus};
use super::erase::ErasureReason;
use super::permission::Permission;
use super::retain::Retention;
use crate::actor::Origin;
use crate::calendar::Day;
use crate::event::{Payload, carries_a_box, events};
use crate::id::PlatformId;
use crate::sealed::Sealed;

events! { User:
    /// It was made; nothing about it is verified.
    Created = 10 v 1 "user.created",
    /// It handed in a document, which is to be reviewed.
    DocumentAdded = 11 v 2 "user.document_added" after [1: v1::DocumentAdded],
    /// Its identity was checked.
    Verified = 12 v 1 "user.verified",
    /// Its permission was set.
    PermissionSet = 13 v 1 "user.permission_set",
    /// Nothing of its goes out or comes in until it is unlocked.
    Locked = 14 v 1 "user.locked",
    /// It may do again what it was permitted.
    Unlocked = 15 v 1 "user.unlocked",
    /// What is known about it but for its documents was set.
    ProfileSet = 16 v 1 "user.profile_set",
    /// It handed in a document anew, or more parts of it, to be reviewed.
    DocumentChanged = 17 v 2 "user.document_changed" after [1: v1::DocumentChanged],
    /// It took a document back.
    DocumentRemoved = 18 v 1 "user.document_removed",
    /// It was erased: nothing about it can be read or sealed any more.
    Erased = 19 v 1 "user.erased",
    /// How long its records must be kept, and whether there is a legal hold, as a whole.
    RetentionSet = 33 v 1 "user.retention_set",
    /// Micro-deposits were sent to an account of its, where its platform bounds how often on a day.
    MicroDepositsCounted = 34 v 1 "user.micro_deposits_counted",
}

/// The user was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// The platform that owns the user.
    pub platform: PlatformId,
    /// A business rather than a person.
    pub is_business: bool,
    /// Which of the platform's identification programs applies.
    pub cip_tag: i64,
    /// Box, class profile: logins, phone numbers, legal names, supplied id.
    #[serde(skip)]
    pub profile: Option<Sealed>,
}

carries_a_box!(Created.profile);

/// A document was handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentAdded {
    /// Its id.
    pub id: SubDocumentId,
    /// Its parts.
    pub parts: Vec<Part>,
    /// Box, class document: everything that is written on it.
    #[serde(skip)]
    pub contents: Option<Sealed>,
}

carries_a_box!(DocumentAdded.contents);

/// The identity was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// What was found out about each part that was looked at.
    pub findings: Vec<(SubDocumentId, SubDocumentStatus)>,
    /// What the user may do from now on.
    pub permission: Permission,
}

impl Payload for Verified {}

/// The permission was set, whatever the documents say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionSet {
    /// What the user may do from now on.
    pub permission: Permission,
    /// Who set it.
    pub origin: Origin,
}

impl Payload for PermissionSet {}

/// What is known about the user was set, as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileSet {
    /// Which of the platform's identification programs applies.
    pub cip_tag: i64,
    /// Who set it.
    pub origin: Origin,
    /// Box, class profile: logins, phone numbers, legal names, supplied id.
    #[serde(skip)]
    pub profile: Option<Sealed>,
}

carries_a_box!(ProfileSet.profile);

/// A document was handed in anew, or more parts of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentChanged {
    /// Its id.
    pub id: SubDocumentId,
    /// All of its parts.
    pub parts: Vec<Part>,
    /// Box, class document: everything that is written on it now.
    #[serde(skip)]
    pub contents: Option<Sealed>,
}

carries_a_box!(DocumentChanged.contents);

/// A document was taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentRemoved {
    /// Its id.
    pub id: SubDocumentId,
}

impl Payload for DocumentRemoved {}

/// The user was locked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locked {
    /// Who locked it.
    pub origin: Origin,
}

impl Payload for Locked {}

/// The user was unlocked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unlocked {
    /// Who unlocked it.
    pub origin: Origin,
}

impl Payload for Unlocked {}

/// The stored number of [`Erased`]: by it they are found without reading the rest of the log.
pub const ERASED: i16 = 19;

/// The user was erased. The event stays, so that the erasure can be done again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erased {
    /// Why.
    pub reason: ErasureReason,
    /// Who erased it.
    pub origin: Origin,
}

impl Payload for Erased {}

/// How long the user's records must be kept was set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetentionSet {
    /// What holds from now on.
    pub retention: Retention,
    /// Who set it.
    pub origin: Origin,
}

impl Payload for RetentionSet {}

/// Micro-deposits were sent to an account of the user's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroDepositsCounted {
    /// The day.
    pub day: Day,
    /// How often on this day by now, to all accounts of the user together.
    pub count: u16,
}

impl Payload for MicroDepositsCounted {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_an_erasure_is_that_of_its_event() {
        let numbered = Event::SCHEMAS.iter().find(|(schema, _)| schema.event_type == ERASED);
        assert_eq!(numbered.map(|(_, name)| *name), Some("user.erased"));
    }
}
