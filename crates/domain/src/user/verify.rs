//! Verify a user: the findings of an identity check determine the statuses of documents and the permission.

use super::document::supported;
use super::{Permission, Refusal, SubDocumentId, SubDocumentStatus, User, Verified};
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::UserId;
use crate::state::States;
use crate::time::Timestamp;

/// Command to record the findings of an identity check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verify {
    /// The user that was checked.
    pub user: UserId,
    /// Revision of the user that was checked. Later documents were not.
    pub revision: u32,
    /// Findings about parts of the user's documents.
    pub findings: Vec<(SubDocumentId, SubDocumentStatus)>,
}

impl Decide for Verify {
    fn subject(&self) -> Key {
        self.user.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.user.into()]
    }

    /// Decides. A finding is left out if its part does not wait for a review, or if it says that the part still waits.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let user = states.user(self.user).ok_or(Refusal::Unknown)?;
        let is_own = states.platform(user.platform).is_some_and(|platform| platform.user == self.user);
        if user.revision != self.revision {
            return Err(Refusal::Stale.into());
        }
        let waits = |id: &SubDocumentId| {
            let mut parts = user.documents.iter().flat_map(|document| &document.parts);
            parts.any(|part| part.id == *id && part.status == SubDocumentStatus::Reviewing)
        };
        let findings: Vec<_> = self
            .findings
            .iter()
            .filter(|(id, status)| waits(id) && *status != SubDocumentStatus::Reviewing)
            .cloned()
            .collect();
        if findings.is_empty() {
            return Ok(vec![]);
        }
        let permission = permission_after(user, &findings, is_own);
        Ok(vec![NewEvent::new(self.user, Verified { findings, permission })])
    }
}

/// The permission after `findings`: supported by the documents if all parts are valid, otherwise unverified. A locked
/// or closed user keeps its permission. So does the platform's own user, which is identified by contract.
fn permission_after(
    user: &User,
    findings: &[(SubDocumentId, SubDocumentStatus)],
    is_own: bool,
) -> Permission {
    if is_own || !user.permitted.is_found() {
        return user.permitted;
    }
    let mut parts = user.documents.iter().flat_map(|document| &document.parts);
    let status = |id: &SubDocumentId, before: SubDocumentStatus| {
        findings.iter().find(|(found, _)| found == id).map_or(before, |(_, status)| *status)
    };
    let all_valid = parts.all(|part| status(&part.id, part.status) == SubDocumentStatus::Valid);
    if all_valid { supported(&user.documents) } else { Permission::Unverified }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixture::{OWNER, change, document, lower, part_id, person};
    use crate::testing::{World, given};
    use crate::user::SubDocumentStatus::{Invalid, MfaPending, Reviewing, Valid};
    use crate::user::update::DocumentChange;

    const EVE: UserId = UserId::from_u128(9);

    fn verified(findings: &[(usize, SubDocumentStatus)]) -> Verify {
        verified_at(1, findings)
    }

    fn verified_at(revision: u32, findings: &[(usize, SubDocumentStatus)]) -> Verify {
        Verify {
            user: EVE,
            revision,
            findings: findings.iter().map(|&(part, status)| (part_id(EVE, part), status)).collect(),
        }
    }

    fn permission(world: &World) -> Option<Permission> {
        world.user(EVE).map(User::permission)
    }

    #[test]
    fn documents_determine_the_permission() {
        let table = [
            (vec!["SSN"], vec![(0, Valid)], Permission::SendAndReceive),
            (vec!["EMAIL"], vec![(0, Valid)], Permission::Receive),
            (vec!["EMAIL", "SSN"], vec![(0, Valid), (1, Valid)], Permission::SendAndReceive),
            (vec!["EMAIL", "SSN"], vec![(0, Valid)], Permission::Unverified),
            (vec!["EMAIL", "SSN"], vec![(0, Valid), (1, Invalid)], Permission::Unverified),
            (vec!["SSN"], vec![(0, MfaPending)], Permission::Unverified),
            (vec!["SSN"], vec![(0, Invalid)], Permission::Unverified),
        ];
        for (parts, findings, expected) in table {
            let world = given([person(EVE, &parts).into()]).when(verified(&findings)).accepted();
            assert_eq!(permission(&world), Some(expected), "{parts:?} {findings:?}");
        }
    }

    #[test]
    fn only_findings_about_known_parts_are_recorded() {
        let verify = verified(&[(0, Valid), (7, Valid)]);
        let findings = vec![(part_id(EVE, 0), Valid)];
        given([person(EVE, &["SSN"]).into()])
            .when(verify)
            .then([NewEvent::new(EVE, Verified { findings, permission: Permission::SendAndReceive })]);
    }

    #[test]
    fn parts_may_be_checked_one_by_one() {
        let world = given([person(EVE, &["EMAIL", "SSN"]).into()]).when(verified(&[(0, Valid)])).accepted();
        let world = world.when(verified_at(2, &[(1, Valid)])).accepted();
        assert_eq!(permission(&world), Some(Permission::SendAndReceive));
    }

    #[test]
    fn reviewed_part_keeps_its_status() {
        let history = || given([person(EVE, &["SSN"]).into(), verified(&[(0, Valid)]).into()]);
        history().when(verified_at(2, &[(0, Valid)])).then([]);
        history().when(verified_at(2, &[(0, Invalid)])).then([]);
        given([person(EVE, &["SSN"]).into()]).when(verified(&[])).then([]);
        given([person(EVE, &["SSN"]).into()]).when(verified(&[(0, Reviewing)])).then([]);
    }

    #[test]
    fn verification_of_old_revision_is_refused() {
        let resent = change(EVE, 1, DocumentChange::Set(document(EVE, &["SSN"])));
        let world = given([person(EVE, &["SSN"]).into(), resent.into()]);
        let world = world.when(verified(&[(0, Valid)])).refused(Refusal::Stale);
        world.when(verified_at(2, &[(0, Valid)])).accepted();
    }

    #[test]
    fn verification_keeps_locked_or_closed_permission() {
        for permission in [Permission::Locked, Permission::Closed, Permission::MakeItGoAway] {
            let history = [person(EVE, &["SSN"]).into(), lower(EVE, permission).into()];
            let world = given(history).when(verified(&[(0, Valid)])).accepted();
            assert_eq!(super::tests::permission(&world), Some(permission));
        }
    }

    #[test]
    fn own_user_ignores_document_findings() {
        let papers = change(OWNER, 1, DocumentChange::Add(document(OWNER, &["EMAIL"])));
        let found = Verify { user: OWNER, revision: 2, findings: vec![(part_id(OWNER, 0), Invalid)] };
        let world = given([papers.into()]).when(found).accepted();
        assert_eq!(world.user(OWNER).map(User::permission), Some(Permission::SendAndReceive));
    }

    #[test]
    fn unknown_user_is_refused() {
        given([]).when(verified(&[(0, Valid)])).refused(Refusal::Unknown);
    }
}
