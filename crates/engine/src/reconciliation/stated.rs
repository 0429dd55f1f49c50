//! Balances that the bank states after the last line that is booked or taken back.

use std::collections::BTreeMap;

use daybook_domain::custody::Custody;
use daybook_domain::statement::Statement;
use daybook_domain::{Currency, StatementId};

/// Returns the balances of an account in minor units. `statement` finds those whose lines are still to be booked or taken
/// back.
pub(super) fn balances<'a>(
    custody: &Custody,
    statement: impl Fn(StatementId) -> Option<&'a Statement>,
) -> BTreeMap<Currency, i64> {
    let mut balances: BTreeMap<Currency, i64> =
        custody.statements.iter().map(|(currency, (_, closing))| (*currency, *closing)).collect();
    // The first one of a currency tells how far the bank's lines are booked.
    for moving in custody.booking.iter().rev().filter_map(|id| statement(*id)) {
        balances.insert(moving.currency, moving.balance_at_bank());
    }
    balances
}
