//! Events of an operation.

use serde::{Deserialize, Serialize};

use super::Act;
use crate::event::{Payload, carries_a_box, events};
use crate::id::{OperatorId, PlatformId};
use crate::posting::Postings;
use crate::sealed::Sealed;

events! { Operation:
    /// An operator requested the operation.
    Requested = 70 v 1 "operation.requested",
    /// Another operator approved the operation, and it was carried out.
    Approved = 71 v 1 "operation.approved",
    /// Another operator declined the operation.
    Declined = 72 v 1 "operation.declined",
    /// The operation was a journal entry, and the entry was posted.
    Journaled = 73 v 1 "operation.journaled",
}

/// An operator requested the operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requested {
    /// Platform of the operation.
    pub platform: PlatformId,
    /// The requested act.
    pub act: Act,
    /// The operator that requested it.
    pub by: OperatorId,
    /// True if the act waits for the approval of another operator; otherwise it is carried out in the same commit.
    pub waits: bool,
    /// Sealed box, class profile, of the platform's own user: the reason.
    #[serde(skip)]
    pub reason: Option<Sealed>,
}

carries_a_box!(Requested.reason);

/// Another operator approved the operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    /// The operator that approved.
    pub by: OperatorId,
}

impl Payload for Approved {}

/// Another operator declined the operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declined {
    /// The operator that reviewed.
    pub by: OperatorId,
    /// Reason for which it is declined although the reviewer approved; `None` if the reviewer declined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<Cause>,
}

/// Reason for which an operation is declined although its reviewer approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// The operator that requested it was revoked in the meantime, or lost the role that the act needs.
    #[serde(rename = "ASKER_REVOKED")]
    AskerRevoked,
}

impl Payload for Declined {}

/// A journal entry was posted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journaled {
    /// Postings of the entry.
    pub postings: Postings,
}

impl Payload for Journaled {}
