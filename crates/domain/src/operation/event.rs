//! What happens to an operation.

use serde::{Deserialize, Serialize};

use super::Act;
use crate::event::{Payload, carries_a_box, events};
use crate::id::{OperatorId, PlatformId};
use crate::posting::Postings;
use crate::sealed::Sealed;

events! { Operation:
    /// An operator asked for it.
    Requested = 70 v 1 "operation.requested",
    /// Another operator approved it, and it was done.
    Approved = 71 v 1 "operation.approved",
    /// Another operator declined it.
    Declined = 72 v 1 "operation.declined",
    /// It was a journal entry, and it was posted.
    Journaled = 73 v 1 "operation.journaled",
}

/// An operator asked for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requested {
    /// The platform that it is about.
    pub platform: PlatformId,
    /// What shall be done.
    pub act: Act,
    /// Who asked.
    pub by: OperatorId,
    /// Whether it waits for another operator; done in the same commit otherwise.
    pub waits: bool,
    /// Box, class profile of the platform's own user: the reason.
    #[serde(skip)]
    pub reason: Option<Sealed>,
}

carries_a_box!(Requested.reason);

/// Another operator approved it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    /// Who.
    pub by: OperatorId,
}

impl Payload for Approved {}

/// Another operator declined it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declined {
    /// Who.
    pub by: OperatorId,
    /// Why it was declined although that one approved; none if that one declined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<Cause>,
}

/// Why an operation is declined that another operator approves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// The operator who asked for it was revoked meanwhile.
    #[serde(rename = "ASKER_REVOKED")]
    AskerRevoked,
}

impl Payload for Declined {}

/// A journal entry was posted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journaled {
    /// What moved.
    pub postings: Postings,
}

impl Payload for Journaled {}
