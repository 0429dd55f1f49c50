//! Entries of outgoing bank files, for the construction of return files.

use daybook_domain::TransactionId;
use daybook_engine::rails::ach::{EntryClass, Purpose};
use daybook_engine::rails::{AccountClass, Destination, EntryDirection, OutgoingEntry};

use crate::bodies::ROUTING_NUMBER;

/// Returns an entry to or from the account `account_num`; `sequence` is the end of its trace.
#[must_use]
pub fn entry(
    direction: EntryDirection,
    account_num: &str,
    amount_minor: i64,
    sequence: u32,
) -> OutgoingEntry {
    OutgoingEntry {
        transaction: TransactionId::from_u128(1),
        direction,
        amount_minor,
        sequence,
        destination: Destination::Account {
            routing_num: ROUTING_NUMBER.into(),
            account_num: account_num.into(),
            class: AccountClass::Checking,
            correspondent: None,
        },
        name: "Somebody".into(),
        addendum: None,
        class: EntryClass::Ppd,
        purpose: Purpose::Payment,
    }
}
