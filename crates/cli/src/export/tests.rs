use daybook_domain::operation::Journaled;
use daybook_domain::posting::{LedgerAccount, Posting, Postings, Rail};
use daybook_domain::{
    Bank, Currency, CustodyId, Event, Key, Kind, NodeId, OperatorId, Origin, PlatformId, Timestamp,
    operation, transaction,
};
use daybook_projector::RecordedEvent;

use super::*;

const NODE: LedgerAccount = LedgerAccount::Node(NodeId::from_u128(1));
const RAIL: LedgerAccount = LedgerAccount::RailIn(Rail::Ach);
const BANK: LedgerAccount = LedgerAccount::Bank(Bank::SANDBOX);

fn currency(code: &str) -> Currency {
    Currency::parse(code).expect("ISO 4217")
}

fn postings(code: &str, lines: &[(LedgerAccount, i64)]) -> Postings {
    let lines = lines.iter().map(|&(account, amount)| Posting { account, amount }).collect();
    Postings::new(currency(code), lines).expect("balanced")
}

fn happened(position: u64, day: &str, event: Event) -> RecordedEvent {
    let effective_at: Timestamp = day.parse::<Day>().expect("a date").start();
    RecordedEvent {
        position,
        recorded_at: Timestamp::from_ms(0),
        effective_at,
        event_id: u128::from(position),
        key: Key { kind: Kind::Transaction, id: 9 },
        platform: PlatformId::from_u128(8),
        version: 1,
        event,
    }
}

/// Money arrives, is reported by two statements on two days, and is corrected on an earlier day.
fn history() -> Vec<RecordedEvent> {
    let settled = postings("USD", &[(RAIL, 1_005), (NODE, -1_005)]);
    let settled = transaction::Settled { postings: Some(settled), origin: Origin::PROCESS };
    let stated = |line: &str, amount| transaction::Cleared {
        custody: CustodyId::from_u128(7),
        line: line.into(),
        postings: postings("USD", &[(BANK, amount), (RAIL, -amount)]),
    };
    let journaled = Journaled { postings: postings("JPY", &[(NODE, 5), (LedgerAccount::Suspense, -5)]) };
    vec![
        happened(1, "2026-01-05", operation::Declined { by: OperatorId::from_u128(6), because: None }.into()),
        happened(2, "2026-01-05", settled.into()),
        happened(3, "2026-01-06", stated("1", 1_000).into()),
        happened(4, "2026-01-07", stated("2", 5).into()),
        happened(5, "2026-01-02", journaled.into()),
    ]
}

fn written(dialect: impl Dialect) -> String {
    let (mut book, mut text) = (Book::new(dialect), String::new());
    for happened in history() {
        book.add(&happened, &mut text);
    }
    assert_eq!(book.end("position 5", &mut text), 4);
    text
}

#[test]
fn hledger_export_is_a_journal() {
    let expected = "\
; Written by daybook ledger export. Dates are effective ones, in UTC.
decimal-mark .
commodity 10000.00 USD
account assets:rail:in:ach
account liabilities:nodes:00000000000000000000000001

2026-01-05 * (00000000000000000000000002) transaction.settled  ; position:2, stream:00000000000000000000000009, platform:00000000000000000000000008
    assets:rail:in:ach  10.05 USD
    liabilities:nodes:00000000000000000000000001  -10.05 USD
account assets:bank:sandbox

2026-01-06 * (00000000000000000000000003) transaction.cleared  ; position:3, stream:00000000000000000000000009, platform:00000000000000000000000008
    assets:bank:sandbox  10.00 USD
    assets:rail:in:ach  -10.00 USD

2026-01-07 * (00000000000000000000000004) transaction.cleared  ; position:4, stream:00000000000000000000000009, platform:00000000000000000000000008
    assets:bank:sandbox  0.05 USD
    assets:rail:in:ach  -0.05 USD
commodity 1000000. JPY
account liabilities:suspense

2026-01-02 * (00000000000000000000000005) operation.journaled  ; position:5, stream:00000000000000000000000009, platform:00000000000000000000000008
    liabilities:nodes:00000000000000000000000001  5 JPY
    liabilities:suspense  -5 JPY

2026-01-06 * assertion
    assets:bank:sandbox  0 USD = 10.00 USD

2026-01-07 * assertion
    assets:bank:sandbox  0 USD = 10.05 USD

2026-01-07 * assertion
    liabilities:nodes:00000000000000000000000001  0 JPY = 5 JPY

2026-01-07 * assertion
    liabilities:nodes:00000000000000000000000001  0 USD = -10.05 USD

2026-01-07 * assertion
    assets:rail:in:ach  0 USD = 0.00 USD

2026-01-07 * assertion
    assets:bank:sandbox  0 USD = 10.05 USD

2026-01-07 * assertion
    liabilities:suspense  0 JPY = -5 JPY

; The end: position 5 of the log.
";
    assert_eq!(written(Hledger), expected);
}

#[test]
fn beancount_export_is_a_ledger() {
    let expected = "\
; Written by daybook ledger export. Dates are effective ones, in UTC.
option \"operating_currency\" \"USD\"
1970-01-01 open Assets:Rail:In:Ach
1970-01-01 open Liabilities:Nodes:00000000000000000000000001

2026-01-05 * \"transaction.settled\"
  id: \"00000000000000000000000002\"
  position: 2
  stream: \"00000000000000000000000009\"
  platform: \"00000000000000000000000008\"
  Assets:Rail:In:Ach  10.05 USD
  Liabilities:Nodes:00000000000000000000000001  -10.05 USD
1970-01-01 open Assets:Bank:Sandbox

2026-01-06 * \"transaction.cleared\"
  id: \"00000000000000000000000003\"
  position: 3
  stream: \"00000000000000000000000009\"
  platform: \"00000000000000000000000008\"
  Assets:Bank:Sandbox  10.00 USD
  Assets:Rail:In:Ach  -10.00 USD

2026-01-07 * \"transaction.cleared\"
  id: \"00000000000000000000000004\"
  position: 4
  stream: \"00000000000000000000000009\"
  platform: \"00000000000000000000000008\"
  Assets:Bank:Sandbox  0.05 USD
  Assets:Rail:In:Ach  -0.05 USD
option \"operating_currency\" \"JPY\"
1970-01-01 open Liabilities:Suspense

2026-01-02 * \"operation.journaled\"
  id: \"00000000000000000000000005\"
  position: 5
  stream: \"00000000000000000000000009\"
  platform: \"00000000000000000000000008\"
  Liabilities:Nodes:00000000000000000000000001  5 JPY
  Liabilities:Suspense  -5 JPY
2026-01-07 balance Assets:Bank:Sandbox  10.00 ~ 0 USD
2026-01-08 balance Assets:Bank:Sandbox  10.05 ~ 0 USD
2026-01-08 balance Liabilities:Nodes:00000000000000000000000001  5 ~ 0 JPY
2026-01-08 balance Liabilities:Nodes:00000000000000000000000001  -10.05 ~ 0 USD
2026-01-08 balance Assets:Rail:In:Ach  0.00 ~ 0 USD
2026-01-08 balance Assets:Bank:Sandbox  10.05 ~ 0 USD
2026-01-08 balance Liabilities:Suspense  -5 ~ 0 JPY

; The end: position 5 of the log.
";
    assert_eq!(written(Beancount), expected);
}

#[test]
fn log_without_money_exports_no_transactions() {
    let mut text = String::new();
    assert_eq!(Book::new(Hledger).end("position 0", &mut text), 0);
    assert!(text.ends_with("; The end: position 0 of the log.\n"), "{text}");
}

#[test]
fn beancount_accepts_every_account_name() {
    let banks = ["sandbox", "-x", "1st"].map(|name| LedgerAccount::Bank(Bank::parse(name).expect("a name")));
    let rails =
        Rail::ALL.into_iter().flat_map(|rail| [LedgerAccount::RailIn(rail), LedgerAccount::RailOut(rail)]);
    let others = [
        NODE,
        LedgerAccount::Transit,
        LedgerAccount::ReturnIn,
        LedgerAccount::ReturnOut,
        LedgerAccount::Suspense,
    ];
    for account in banks.into_iter().chain(rails).chain(others) {
        let mut text = String::new();
        Beancount.open(account, &mut text);
        let name = text.trim().rsplit(' ').next().expect("a name");
        for part in name.split(':') {
            assert!(
                part.starts_with(|first: char| first.is_ascii_uppercase() || first.is_ascii_digit()),
                "{name}"
            );
        }
    }
}
