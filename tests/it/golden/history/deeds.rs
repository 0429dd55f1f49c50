//! What happened in the newest chapter. Chapters that were told are files; what was asked for in them is not needed any
//! more, so these deeds give way to those of the next one.
//!
//! This one is told since users can be erased: one who never paid, and one whose records are kept.

use daybook_domain::testing::fixture::{erase, lower, person, retain};
use daybook_domain::user::Permission;
use daybook_domain::user::retain::{HoldChange, HoldReason, Retain};
use daybook_domain::{Command, UserId};

/// Never had a transaction.
const GIL: UserId = UserId::from_u128(76);
/// Her document is one of the first chapter.
const EVE: UserId = UserId::from_u128(70);

/// Everything that is asked for, in order.
pub(super) fn deeds() -> Vec<Command> {
    let hold = Retain { until: None, hold: HoldChange::Set(HoldReason::Regulator), ..retain(EVE, 0) };
    vec![
        person(GIL, &["EMAIL", "SSN"]).into(),
        retain(GIL, 0).into(),
        lower(GIL, Permission::Closed).into(),
        erase(GIL).into(),
        retain(EVE, 4_000_000_000_000).into(),
        hold.into(),
    ]
}
