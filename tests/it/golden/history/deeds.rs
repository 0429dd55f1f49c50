//! Commands of the newest chapter of the golden history. Earlier chapters are stored as files, so their commands are
//! not needed: the commands of the next chapter replace these.
//!
//! This chapter covers a part of a bank's file that is kept as evidence, of a month whose retention has ended.

use daybook_domain::Command;
use daybook_domain::evidence::destroy::DestroyEvidence;
use daybook_domain::testing::fixture::keep_part;

/// All commands of the chapter, in order.
pub(super) fn deeds() -> Vec<Command> {
    let keep = keep_part("1950-01", 1);
    let destroy = DestroyEvidence { id: keep.evidence() };
    vec![keep.into(), destroy.into()]
}
