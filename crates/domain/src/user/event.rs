//! Events of a user. Names, addresses and numbers are in sealed boxes; ids, types and statuses are in the clear.

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
    /// The user was created; nothing about it is verified.
    Created = 10 v 1 "user.created",
    /// A document was handed in, and waits for its review.
    DocumentAdded = 11 v 2 "user.document_added" after [1: v1::DocumentAdded],
    /// The identity of the user was checked.
    Verified = 12 v 1 "user.verified",
    /// The permission of the user was set.
    PermissionSet = 13 v 1 "user.permission_set",
    /// The user was locked: no money of its nodes moves until it is unlocked.
    Locked = 14 v 1 "user.locked",
    /// The user was unlocked: its earlier permission applies again.
    Unlocked = 15 v 1 "user.unlocked",
    /// The profile of the user was set.
    ProfileSet = 16 v 1 "user.profile_set",
    /// A document was handed in anew, or more parts of it, which wait for their review.
    DocumentChanged = 17 v 2 "user.document_changed" after [1: v1::DocumentChanged],
    /// A document was withdrawn.
    DocumentRemoved = 18 v 1 "user.document_removed",
    /// The user was erased: nothing about it can be read or sealed any more.
    Erased = 19 v 1 "user.erased",
    /// The retention date and the legal hold of the user were set.
    RetentionSet = 33 v 1 "user.retention_set",
    /// Micro-deposits to an account of the user were counted, because the platform limits them on a day.
    MicroDepositsCounted = 34 v 1 "user.micro_deposits_counted",
}

/// The user was created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// The platform that owns the user.
    pub platform: PlatformId,
    /// True for a business, false for a person.
    pub is_business: bool,
    /// Number of the platform's identification program that applies.
    pub cip_tag: i64,
    /// Sealed box, class profile: logins, phone numbers, legal names, supplied id.
    #[serde(skip)]
    pub profile: Option<Sealed>,
}

carries_a_box!(Created.profile);

/// A document was handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentAdded {
    /// Id of the document.
    pub id: SubDocumentId,
    /// Parts of the document.
    pub parts: Vec<Part>,
    /// Sealed box, class document: everything that is written on it.
    #[serde(skip)]
    pub contents: Option<Sealed>,
}

carries_a_box!(DocumentAdded.contents);

/// The identity was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// Findings about the parts that were checked.
    pub findings: Vec<(SubDocumentId, SubDocumentStatus)>,
    /// New permission of the user.
    pub permission: Permission,
}

impl Payload for Verified {}

/// The permission was set, whatever the findings about documents are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionSet {
    /// New permission of the user.
    pub permission: Permission,
    /// Origin of the change.
    pub origin: Origin,
}

impl Payload for PermissionSet {}

/// The profile was set; it replaces the earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileSet {
    /// Number of the platform's identification program that applies.
    pub cip_tag: i64,
    /// Origin of the change.
    pub origin: Origin,
    /// Sealed box, class profile: logins, phone numbers, legal names, supplied id.
    #[serde(skip)]
    pub profile: Option<Sealed>,
}

carries_a_box!(ProfileSet.profile);

/// A document was handed in anew, or more parts of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentChanged {
    /// Id of the document.
    pub id: SubDocumentId,
    /// All parts of the document.
    pub parts: Vec<Part>,
    /// Sealed box, class document: everything that is written on it, as a whole.
    #[serde(skip)]
    pub contents: Option<Sealed>,
}

carries_a_box!(DocumentChanged.contents);

/// A document was withdrawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentRemoved {
    /// Id of the document.
    pub id: SubDocumentId,
}

impl Payload for DocumentRemoved {}

/// The user was locked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locked {
    /// Origin of the lock.
    pub origin: Origin,
}

impl Payload for Locked {}

/// The user was unlocked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unlocked {
    /// Origin of the unlock.
    pub origin: Origin,
}

impl Payload for Unlocked {}

/// Stored number of the event type [`Erased`]. Readers find erasures by it without reading the rest of the log.
pub const ERASED: i16 = 19;

/// The user was erased. The event stays in the log, so that the erasure can be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erased {
    /// Reason for the erasure.
    pub reason: ErasureReason,
    /// Origin of the erasure.
    pub origin: Origin,
}

impl Payload for Erased {}

/// The retention of the user's records was set; it replaces the earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetentionSet {
    /// The new retention.
    pub retention: Retention,
    /// Origin of the change.
    pub origin: Origin,
}

impl Payload for RetentionSet {}

/// Micro-deposits were sent to an account of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroDepositsCounted {
    /// The day.
    pub day: Day,
    /// Number of sendings on this day so far, to all accounts of the user together.
    pub count: u16,
}

impl Payload for MicroDepositsCounted {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_matches_the_event_type() {
        let numbered = Event::SCHEMAS.iter().find(|(schema, _)| schema.event_type == ERASED);
        assert_eq!(numbered.map(|(_, name)| *name), Some("user.erased"));
    }
}
