//! Open items: amounts between the ledger and a bank, and their age.

mod v1;

use daybook_domain::Kind;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::{Currency, Timestamp, TransactionId};
pub(crate) use v1::OpenItems;

use crate::store::model::{Definition, MadeOf};

/// Declaration of the read model.
pub(crate) const MODEL: Definition =
    Definition::new(&["open_items"], &[Kind::Transaction], MadeOf::States, |_| {
        include_str!("schema.sql").into()
    });

/// Query for the oldest open items of a platform.
pub(crate) const LIST: &str = include_str!("list.sql");
/// Query for the number of open items of a platform.
pub(crate) const COUNT: &str = include_str!("count.sql");
/// Query for the number of open items of real platforms that are overdue.
pub(crate) const OVERDUE: &str = include_str!("overdue.sql");

/// An open item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenItemRow {
    /// The transaction.
    pub transaction: TransactionId,
    /// The ledger account at which it is open.
    pub account: LedgerAccount,
    /// The currency.
    pub currency: Currency,
    /// Amount in minor units; positive (a debit) if the money is to come to us.
    pub amount: i64,
    /// Time since which it is open, by the platform's clock.
    pub since: Timestamp,
}
