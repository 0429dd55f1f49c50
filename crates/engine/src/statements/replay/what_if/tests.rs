use daybook_domain::actor::Origin;
use daybook_domain::breaks::{Opened, RuleName, Strategy, Withdrawn};
use daybook_domain::calendar::Day;
use daybook_domain::posting::Rail;
use daybook_domain::transaction::{Cleared, ClearedItem, Reopened, WrittenOff};
use daybook_domain::{CustodyId, Key, Kind, OperationId, OperatorId, Timestamp};

use super::super::line::Explained;
use super::*;

const ITEM: LedgerAccount = LedgerAccount::RailIn(Rail::Ach);
const BY_OPERATOR: Origin = Origin::of(Actor::Operator(OperatorId::from_u128(1)));

/// A fold of events at the positions 1, 2, 3 …; other rules match from position 11 on.
struct Told {
    what_if: WhatIf,
    position: u64,
}

impl Told {
    /// A line and an open item of 100 each, with these numbers.
    fn with(lines: &[u128], items: &[u128]) -> Self {
        let mut told = Self { what_if: WhatIf::new(PlatformId::from_u128(1), 10), position: 10 };
        for line in lines {
            told.line(*line, opened());
        }
        for item in items {
            told.item(*item, 100);
        }
        told
    }

    fn add(&mut self, kind: Kind, id: u128, event: Event) {
        self.position += 1;
        self.what_if.add(&RecordedEvent {
            position: self.position,
            recorded_at: Timestamp::from_ms(0),
            effective_at: Timestamp::from_ms(0),
            event_id: 0,
            key: Key { kind, id },
            platform: PlatformId::from_u128(1),
            version: 1,
            event,
        });
    }

    fn line(&mut self, id: u128, event: breaks::Event) {
        self.add(Kind::Break, id, Event::Break(event));
    }

    /// Changes an item by an amount.
    fn item(&mut self, id: u128, amount: i64) {
        let (custody, line) = (CustodyId::from_u128(1), String::new());
        let event = if amount > 0 {
            transaction::Event::Reopened(Reopened { custody, line, postings: postings(amount) })
        } else {
            transaction::Event::Cleared(Cleared { custody, line, postings: postings(amount) })
        };
        self.add(Kind::Transaction, id, Event::Transaction(event));
    }

    /// The log matches line 1 with an item.
    fn matched(&mut self, item: u128, rule: Option<&str>) {
        self.line(1, matched(item, rule));
        self.item(item, -100);
    }

    fn unmatched(&mut self, item: u128, origin: Origin) {
        let items = vec![part(item)];
        let unmatched = Unmatched { number: 0, items, postings: None, origin };
        self.line(1, breaks::Event::Unmatched(unmatched));
        self.item(item, 100);
    }

    /// The other rules match line 1 with an item.
    fn make(&mut self, item: u128) {
        let made = Match {
            line: BreakId::from_u128(1),
            currency: Currency::USD,
            strategy: Strategy::Amount,
            rule: 0,
            parts: Parts { items: vec![part(item)], posts: vec![] },
        };
        self.what_if.make(vec![made], |_| "new".to_owned());
    }

    /// Open items by their numbers.
    fn open(&self) -> Vec<(u128, i64)> {
        self.what_if.open_items().map(|((id, _), _, amount)| (id.as_u128(), amount)).collect()
    }

    /// Rest of line 1, its explanations in the log and by the other rules, and if these are a difference.
    fn explained(&self) -> (i64, Explained, Explained, bool) {
        let line = &self.what_if.lines[&BreakId::from_u128(1)];
        (line.of.left, line.was(), line.would(), !line.is_unchanged())
    }

    fn is_contradicted(&self) -> bool {
        self.what_if.lines[&BreakId::from_u128(1)].is_contradicted
    }
}

fn postings(amount: i64) -> Postings {
    let line = |account, amount| Posting { account, amount };
    let lines = vec![line(ITEM, amount), line(LedgerAccount::Suspense, -amount)];
    Postings::new(Currency::USD, lines).expect("balanced")
}

fn opened() -> breaks::Event {
    breaks::Event::Opened(Opened {
        platform: PlatformId::from_u128(1),
        custody: CustodyId::from_u128(1),
        statement: None,
        line: "a".to_owned(),
        currency: Currency::USD,
        day: Day::default(),
        amount: 100,
    })
}

fn part(item: u128) -> ClearedItem {
    ClearedItem { transaction: TransactionId::from_u128(item), account: ITEM, amount: 100 }
}

fn matched(item: u128, rule: Option<&str>) -> breaks::Event {
    let (strategy, origin) = match rule {
        Some(_) => (Strategy::Reference, Origin::PROCESS),
        None => (Strategy::Operator, BY_OPERATOR),
    };
    let rule = rule.map(|name| RuleName { version: 1, name: name.to_owned() });
    let items = vec![part(item)];
    breaks::Event::Matched(Matched { number: 0, items, postings: None, strategy, rule, rest: 0, origin })
}

fn by(rule: &str) -> Explained {
    Explained::ByRule(rule.to_owned())
}

#[test]
fn match_of_a_rule_is_left_out() {
    let mut told = Told::with(&[1], &[7, 8]);
    told.matched(7, Some("old"));
    assert_eq!(told.open(), [(7, 100), (8, 100)]);
    assert_eq!(told.explained(), (100, by("old"), Explained::No, true));
    told.make(8);
    assert_eq!(told.open(), [(7, 100)]);
    assert_eq!(told.explained(), (0, by("old"), by("new"), true));
}

#[test]
fn equal_match_is_no_difference() {
    let mut told = Told::with(&[1], &[7]);
    told.matched(7, Some("old"));
    told.make(7);
    assert_eq!(told.explained(), (0, by("old"), by("new"), false));
}

#[test]
fn match_before_the_period_is_kept() {
    let mut told = Told::with(&[1], &[7]);
    told.position = 5;
    told.matched(7, Some("old"));
    assert_eq!((told.open(), told.explained()), (vec![], (0, by("old"), by("old"), false)));
    told.position = 20;
    told.unmatched(7, BY_OPERATOR);
    assert_eq!((told.open(), told.explained().0), (vec![(7, 100)], 100));
}

#[test]
fn operator_matches_only_lines_in_suspense() {
    let mut told = Told::with(&[1], &[7, 8]);
    told.matched(7, None);
    assert_eq!(told.explained(), (0, Explained::ByOperator, Explained::ByOperator, false));
    let mut told = Told::with(&[1], &[7, 8]);
    told.make(8);
    told.matched(7, None);
    // The operator had nothing to do, so the item is still open.
    assert_eq!(told.open(), [(7, 100)]);
    assert_eq!(told.explained(), (0, Explained::ByOperator, by("new"), true));
    assert!(!told.is_contradicted());
}

#[test]
fn item_cleared_otherwise_contradicts() {
    let clear: [fn(&mut Told); 2] = [
        |told| told.item(7, -100),
        |told| {
            let operation = OperationId::from_u128(1);
            let off = WrittenOff { operation, account: ITEM, amount: 100 };
            told.add(Kind::Transaction, 7, Event::Transaction(transaction::Event::WrittenOff(off)));
        },
    ];
    for clear in clear {
        let mut told = Told::with(&[1], &[7]);
        told.make(7);
        clear(&mut told);
        assert_eq!((told.open(), told.explained()), (vec![], (100, Explained::No, Explained::No, false)));
        assert!(told.is_contradicted());
    }
}

#[test]
fn match_taken_back_contradicts() {
    let mut told = Told::with(&[1], &[7]);
    told.matched(7, Some("old"));
    told.make(7);
    told.unmatched(7, BY_OPERATOR);
    assert_eq!((told.open(), told.explained().0, told.is_contradicted()), (vec![(7, 100)], 100, true));
    assert!(told.what_if.open_lines().all(|(_, of)| of.by_hand));
}

#[test]
fn withdrawn_line_gives_its_items_back() {
    let mut told = Told::with(&[1], &[7]);
    told.make(7);
    told.line(1, breaks::Event::Withdrawn(Withdrawn {}));
    assert_eq!((told.open(), told.what_if.into_lines().count()), (vec![(7, 100)], 0));
}
