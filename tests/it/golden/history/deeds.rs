//! Commands of the newest chapter of the golden history. Earlier chapters are stored as files, so their commands are
//! not needed: the commands of the next chapter replace these.
//!
//! This chapter covers a statement in a bank's file: it is accepted, and its lines are booked in two parts. A second one
//! waits.

use daybook_domain::Command;
use daybook_domain::testing::fixture::{accept, advance_clock, book_lines};
use daybook_domain::time::DAY_MS;

/// All commands of the chapter, in order.
pub(super) fn deeds() -> Vec<Command> {
    vec![
        advance_clock(2 * DAY_MS).into(),
        accept(&[(3, 3_493, 3_500, 2), (4, 3_500, 3_600, 1)]),
        book_lines(3, 0, &[(10, 0)]),
        book_lines(3, 1, &[(-3, 0)]),
    ]
}
