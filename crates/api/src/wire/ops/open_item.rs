//! Open items: amounts that no bank statement has explained yet, with their age.

use daybook_domain::calendar::Day;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::{Money, Timestamp};
use daybook_projector::OpenItemRow;
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::Listed;
use crate::wire::amount::Amount;

/// An open item: an amount on a rail that no bank statement has explained yet.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OpenItem {
    #[schema(value_type = String)]
    account: LedgerAccount,
    age_days: i64,
    amount: Amount,
    since: i64,
    trans_id: String,
}

impl Listed for OpenItem {
    const KEYS: (&'static str, &'static str) = ("open_items", "open_item_count");
}

/// Renders the record of an open item at the platform's time `now`. A debit is positive: money to be received.
#[must_use]
pub fn render(row: &OpenItemRow, now: Timestamp) -> OpenItem {
    OpenItem {
        account: row.account,
        age_days: i64::from(Day::of(now).number()) - i64::from(Day::of(row.since).number()),
        amount: Money::new(row.amount, row.currency).into(),
        since: row.since.ms(),
        trans_id: row.transaction.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::posting::Rail;
    use daybook_domain::time::DAY_MS;
    use daybook_domain::{Currency, TransactionId};

    use super::*;

    #[test]
    fn age_counts_days_from_midnight_to_midnight() {
        let since = Timestamp::from_ms(DAY_MS - 1);
        let row = OpenItemRow {
            transaction: TransactionId::from_u128(1),
            account: LedgerAccount::RailOut(Rail::Wire),
            currency: Currency::USD,
            amount: -1_005,
            since,
        };
        let table = [(DAY_MS - 1, 0), (DAY_MS, 1), (3 * DAY_MS, 3)];
        for (now, age_days) in table {
            assert_eq!(render(&row, Timestamp::from_ms(now)).age_days, age_days);
        }
        let expected = concat!(
            r#"{"account":"rail.out.wire","age_days":0,"amount":{"amount":-10.05,"currency":"USD"},"#,
            r#""since":86399999,"trans_id":"00000000000000000000000001"}"#
        );
        assert_eq!(serde_json::to_string(&render(&row, since)).unwrap(), expected);
    }
}
