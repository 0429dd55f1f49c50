//! Open items: what lies between the ledger and a bank, and how long it has.

mod v1;

use daybook_domain::Kind;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::{Currency, Timestamp, TransactionId};
pub(crate) use v1::OpenItems;

use crate::store::model::{Definition, MadeOf};

/// The declaration.
pub(crate) const MODEL: Definition =
    Definition::new(&["open_items"], &[Kind::Transaction], MadeOf::States, |_| {
        include_str!("schema.sql").into()
    });

/// The oldest of a platform.
pub(crate) const LIST: &str = include_str!("list.sql");
/// How many a platform has.
pub(crate) const COUNT: &str = include_str!("count.sql");

/// An open item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenItemRow {
    /// The transaction.
    pub transaction: TransactionId,
    /// Where it lies.
    pub account: LedgerAccount,
    /// The currency.
    pub currency: Currency,
    /// Minor units; a debit, positive, is to come to us.
    pub amount: i64,
    /// Since when, by the platform's clock.
    pub since: Timestamp,
}
