//! Commands of the newest chapter of the golden history. Earlier chapters are stored as files, so their commands are
//! not needed: the commands of the next chapter replace these.
//!
//! This chapter covers a contested return: a bank insists on its return of the pull of an earlier chapter, which is
//! returned then, after the time limit of the code.

use daybook_domain::Command;
use daybook_domain::testing::fixture::{bounce, contest};

const PULL: u128 = 0x8021;

/// All commands of the chapter, in order.
pub(super) fn deeds() -> Vec<Command> {
    vec![contest(PULL).into(), bounce(PULL, "R01").into()]
}
