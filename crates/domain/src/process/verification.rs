//! Verification: a document in review is checked about two seconds after it was handed in.

use super::{Process, ToDo};
use crate::user::User;

/// How long the sandbox takes (`docs/reference/api.md`, Users).
const REVIEW_MS: i64 = 2_000;

/// What is to be done about a user.
#[must_use]
pub(super) fn to_do(user: &User) -> Option<ToDo> {
    let since = user.in_review_since()?;
    Some(ToDo { process: Process::Verification, due_at: since.plus_ms(REVIEW_MS), step: 1 })
}
