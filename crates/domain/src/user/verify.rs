//! Verify: the findings of an identity check become statuses of documents and a permission.

use super::{Permission, Refusal, SubDocumentId, SubDocumentStatus, User, Verified};
use crate::aggregate::{Fact, Key};
use crate::id::UserId;
use crate::state::States;

/// Tells what an identity check found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verify {
    /// Whose identity was checked.
    pub user: UserId,
    /// What was found about each part of its documents.
    pub findings: Vec<(SubDocumentId, SubDocumentStatus)>,
}

impl Verify {
    /// The states that the decision looks at.
    #[must_use]
    pub fn needs(&self) -> Vec<Key> {
        vec![self.user.into()]
    }

    /// Decides. Findings about parts that wait for nothing change nothing.
    pub fn decide(&self, states: &impl States) -> Result<Vec<Fact>, crate::Refusal> {
        let user = states.user(self.user).ok_or(Refusal::Unknown)?;
        let waits = |id: &SubDocumentId| {
            let mut parts = user.documents.iter().flat_map(|document| &document.parts);
            parts.any(|part| part.id == *id && part.status == SubDocumentStatus::Reviewing)
        };
        let findings: Vec<_> = self.findings.iter().filter(|(id, _)| waits(id)).cloned().collect();
        if findings.is_empty() {
            return Ok(vec![]);
        }
        let permission = permission_after(user, &findings);
        Ok(vec![Fact::new(self.user, Verified { findings, permission })])
    }
}

/// All parts valid and an SSN among them: may send. All valid without one: may receive. Otherwise as before, or
/// unverified (`docs/reference/api.md`, Users).
fn permission_after(user: &User, findings: &[(SubDocumentId, SubDocumentStatus)]) -> Permission {
    let parts = || user.documents.iter().flat_map(|document| &document.parts);
    let status = |id: &SubDocumentId, before: SubDocumentStatus| {
        findings.iter().find(|(found, _)| found == id).map_or(before, |(_, status)| *status)
    };
    let all_valid = parts().all(|part| status(&part.id, part.status) == SubDocumentStatus::Valid);
    match (all_valid, parts().any(|part| part.document_type == "SSN")) {
        (true, true) => Permission::SendAndReceive,
        (true, false) => Permission::Receive,
        (false, _) => Permission::Unverified,
    }
}
