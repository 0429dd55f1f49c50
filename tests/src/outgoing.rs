//! Entries that a bank was sent, for files that bring them back.

use daybook_domain::TransactionId;
use daybook_engine::rails::ach::{EntryClass, Purpose};
use daybook_engine::rails::{AccountClass, Destination, Direction, OutgoingEntry};

use crate::bodies::ROUTING_NUMBER;

/// An entry to or from the account `account_num`; `sequence` ends its trace.
#[must_use]
pub fn entry(direction: Direction, account_num: &str, amount_minor: i64, sequence: u32) -> OutgoingEntry {
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
