//! Balance of a held node, and the entries that it is the sum of.

use daybook_domain::account::{Account, Cause, Event};
use daybook_domain::aggregate::Aggregate;
use daybook_domain::id::BoxId;
use daybook_domain::{Currency, Event as AnyEvent, Money, NodeId};
use daybook_projector::{Explained, RecordedEvent};
use serde::Serialize;
use utoipa::ToSchema;

use crate::description::values::CurrencyCode;
use crate::wire::Listed;
use crate::wire::amount::Decimal;

/// Balance of a node in one currency. A balance by effective date has only `posted`; the other amounts are null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Balance {
    node_id: String,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    position: u64,
    posted: Decimal,
    held: Option<Decimal>,
    available: Option<Decimal>,
    pending_in: Option<Decimal>,
    entry_count: u32,
}

/// An entry of a node: the changes of its balance, and the balance after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = AccountEntry)]
pub struct Line {
    #[serde(rename = "_id")]
    id: String,
    number: u32,
    position: u64,
    date: i64,
    recorded_at: i64,
    #[serde(flatten)]
    cause: CauseOut,
    amount: Decimal,
    held_delta: Decimal,
    pending_delta: Decimal,
    posted: Decimal,
    held: Decimal,
    available: Decimal,
    pending_in: Decimal,
}

impl Listed for Line {
    const KEYS: (&'static str, &'static str) = ("entries", "entry_count");
}

/// The transaction or operation that caused an entry, or the line of a bank's statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = EntryCause)]
enum CauseOut {
    Transaction { trans_id: String },
    Operation { operation_id: String },
    Break { break_id: String },
}

impl From<Cause> for CauseOut {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Transaction(id) => Self::Transaction { trans_id: id.to_string() },
            Cause::Operation(id) => Self::Operation { operation_id: id.to_string() },
            Cause::Break(id) => Self::Break { break_id: id.to_string() },
        }
    }
}

/// A balance with the newest entries that produced it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Explanation {
    #[serde(flatten)]
    balance: Balance,
    entries: Vec<Line>,
}

/// Renders the balance of the node `id` in `currency`.
#[must_use]
pub fn balance(id: NodeId, currency: Currency, found: &daybook_projector::Balance) -> Balance {
    let decimal = |minor| Decimal(Money::new(minor, currency));
    Balance {
        node_id: id.to_string(),
        currency,
        position: found.position,
        posted: decimal(found.posted),
        held: found.held.map(decimal),
        available: found.available().map(decimal),
        pending_in: found.pending_in.map(decimal),
        entry_count: found.n,
    }
}

/// Renders an entry; returns `None` if the event is not an entry.
#[must_use]
pub fn line(happened: &RecordedEvent) -> Option<Line> {
    let AnyEvent::Account(event) = &happened.event else { return None };
    let Event::Entry(entry) = event;
    let after = Account::begin(event, happened.effective_at)?;
    let decimal = |minor| Decimal(Money::new(minor, entry.currency));
    Some(Line {
        // All ids have the same spelling, whatever they name.
        id: BoxId::from_u128(happened.event_id).to_string(),
        number: happened.version,
        position: happened.position,
        date: happened.effective_at.ms(),
        recorded_at: happened.recorded_at.ms(),
        cause: entry.cause.into(),
        amount: decimal(entry.delta),
        held_delta: decimal(entry.hold_delta),
        pending_delta: decimal(entry.pending_delta),
        posted: decimal(after.posted),
        held: decimal(after.held),
        available: decimal(after.available()),
        pending_in: decimal(after.pending_in),
    })
}

/// Renders the balance of the node `id` in `currency` with its newest entries.
#[must_use]
pub fn explanation(id: NodeId, currency: Currency, found: &Explained) -> Explanation {
    Explanation {
        balance: balance(id, currency, &found.balance),
        entries: found.entries.iter().filter_map(line).collect(),
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::account::Entry;
    use daybook_domain::{AccountId, OperationId, PlatformId, Timestamp, TransactionId};

    use super::*;
    use crate::envelope::Record;

    const NODE: NodeId = NodeId::from_u128(2);

    fn json(record: &impl Serialize) -> String {
        serde_json::to_string(record).unwrap()
    }

    fn entry() -> RecordedEvent {
        let entry = Entry {
            node: NODE,
            currency: Currency::USD,
            cause: TransactionId::from_u128(3).into(),
            delta: -1_234,
            hold_delta: -1_234,
            pending_delta: 0,
            posted: 8_766,
            held: 100,
            pending_in: 5,
            day_in: 0,
            day_out: 1_234,
            day: None,
            returned: false,
        };
        RecordedEvent {
            position: 57,
            recorded_at: Timestamp::from_ms(1_000),
            effective_at: Timestamp::from_ms(2_000),
            event_id: 4,
            key: AccountId::of(NODE, Currency::USD).into(),
            platform: PlatformId::from_u128(9),
            version: 3,
            event: entry.into(),
        }
    }

    fn found() -> daybook_projector::Balance {
        daybook_projector::Balance { posted: 8_766, held: Some(100), pending_in: Some(5), position: 60, n: 3 }
    }

    const LINE: &str = concat!(
        r#"{"_id":"00000000000000000000000004","number":3,"position":57,"date":2000,"recorded_at":1000,"#,
        r#""trans_id":"00000000000000000000000003","amount":-12.34,"held_delta":-12.34,"pending_delta":0.00,"#,
        r#""posted":87.66,"held":1.00,"available":86.66,"pending_in":0.05}"#
    );

    #[test]
    fn balance_has_all_four_amounts() {
        let expected = concat!(
            r#"{"node_id":"00000000000000000000000002","currency":"USD","position":60,"posted":87.66,"held":1.00,"#,
            r#""available":86.66,"pending_in":0.05,"entry_count":3,"error_code":"0","http_code":"200"}"#
        );
        assert_eq!(json(&Record(balance(NODE, Currency::USD, &found()))), expected);
    }

    #[test]
    fn balance_by_date_has_only_posted() {
        let found = daybook_projector::Balance { held: None, pending_in: None, ..found() };
        let expected = concat!(
            r#"{"node_id":"00000000000000000000000002","currency":"USD","position":60,"posted":87.66,"held":null,"#,
            r#""available":null,"pending_in":null,"entry_count":3}"#
        );
        assert_eq!(json(&balance(NODE, Currency::USD, &found)), expected);
    }

    #[test]
    fn numbers_have_the_decimals_of_their_currency() {
        let yen = Currency::parse("JPY").unwrap();
        assert!(
            json(&balance(NODE, yen, &found())).contains(r#""currency":"JPY","position":60,"posted":8766,"#)
        );
    }

    #[test]
    fn entry_has_changes_and_resulting_balance() {
        assert_eq!(json(&line(&entry())), LINE);
    }

    #[test]
    fn journal_entry_names_its_operation() {
        let mut happened = entry();
        let AnyEvent::Account(Event::Entry(entry)) = &mut happened.event else { return };
        entry.cause = OperationId::from_u128(3).into();
        let expected = LINE.replace("trans_id", "operation_id");
        assert_eq!(json(&line(&happened)), expected);
    }

    #[test]
    fn explanation_has_balance_and_entries() {
        let explained = Explained { balance: found(), entries: vec![entry()] };
        let shown = json(&Record(explanation(NODE, Currency::USD, &explained)));
        assert!(
            shown.contains(&format!(r#""entry_count":3,"entries":[{LINE}],"error_code":"0""#)),
            "{shown}"
        );
    }
}
