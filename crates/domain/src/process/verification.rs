//! Verification: a document in review is checked about two seconds after it was handed in.

use super::{Process, ToDo};
use crate::user::User;

/// Duration of a review in the sandbox, in milliseconds (`docs/reference/api.md`, Users).
const REVIEW_DURATION_MS: i64 = 2_000;

/// The next to-do about a user, if any.
#[must_use]
pub(super) fn to_do(user: &User) -> Option<ToDo> {
    let since = user.in_review_since()?;
    Some(ToDo { process: Process::Verification, due_at: since.plus_ms(REVIEW_DURATION_MS), step: 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::UserId;
    use crate::state::States;
    use crate::testing::fixture::{part_id, person};
    use crate::testing::given;
    use crate::time::Timestamp;
    use crate::user::SubDocumentStatus::{Invalid, Valid};
    use crate::user::verify::Verify;

    const EVE: UserId = UserId::from_u128(9);

    #[test]
    fn document_is_checked_after_two_seconds() {
        let world = given([]).later(500).when(person(EVE, &["EMAIL", "SSN"])).accepted();
        let check = ToDo { process: Process::Verification, due_at: Timestamp::from_ms(2_500), step: 1 };
        assert_eq!(world.user(EVE).map(to_do), Some(Some(check)));
        // After half of the findings, the rest is due at the same time.
        let half = Verify { user: EVE, revision: 1, findings: vec![(part_id(EVE, 0), Valid)] };
        let world = world.later(2_000).when(half).accepted();
        assert_eq!(world.user(EVE).map(to_do), Some(Some(check)));
    }

    #[test]
    fn user_without_review_has_no_to_do() {
        let world = given([]).when(person(EVE, &[])).accepted();
        assert_eq!(world.user(EVE).map(to_do), Some(None));
        for status in [Valid, Invalid] {
            let found = Verify { user: EVE, revision: 1, findings: vec![(part_id(EVE, 0), status)] };
            let world = given([person(EVE, &["SSN"]).into()]).when(found).accepted();
            assert_eq!(world.user(EVE).map(to_do), Some(None));
        }
    }
}
