use daybook_domain::posting::{LedgerAccount, Rail};
use daybook_domain::{Timestamp, TransactionId};

use super::*;

/// A restated day explained a part of an item, and the rest of it is open.
#[test]
fn parts_of_an_item_are_one() {
    let row = |number, account, amount| OpenItemRow {
        transaction: TransactionId::from_u128(number),
        account,
        currency: Currency::USD,
        amount,
        since: Timestamp::from_ms(0),
    };
    let (rail, returns) = (LedgerAccount::RailIn(Rail::Ach), LedgerAccount::ReturnIn);
    let parts = [row(1, rail, 30), row(2, rail, 5), row(1, returns, -7), row(1, rail, 12)];
    let whole = [row(1, rail, 42), row(2, rail, 5), row(1, returns, -7)];
    assert_eq!(joined(parts.into_iter()), whole);
}
