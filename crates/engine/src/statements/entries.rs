//! Entries in which open items went to the bank.

use daybook_domain::Event;
use daybook_domain::calendar::Day;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::transaction::{self, Direction, Submitted};
use daybook_projector::RecordedEvent;

/// Returns the newest entry of an item of this ledger account in the timeline of its transaction, with the day of the file.
/// The item of a return has the entry that came back.
pub(super) fn entry_of(timeline: &[RecordedEvent], account: LedgerAccount) -> Option<(&Submitted, Day)> {
    timeline.iter().rev().find_map(|happened| entry(happened, account))
}

fn entry(happened: &RecordedEvent, account: LedgerAccount) -> Option<(&Submitted, Day)> {
    let Event::Transaction(transaction::Event::Submitted(submitted)) = &happened.event else { return None };
    let rail = submitted.rail;
    let is_its = match submitted.direction {
        Direction::Pull => [LedgerAccount::RailIn(rail), LedgerAccount::ReturnOut].contains(&account),
        Direction::Push | Direction::Refund => {
            [LedgerAccount::RailOut(rail), LedgerAccount::ReturnIn].contains(&account)
        }
    };
    is_its.then(|| (submitted, Day::of(happened.effective_at)))
}
