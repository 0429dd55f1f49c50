//! Example events of transactions, custodies and nodes on the rails to a bank and back.

use daybook_domain::calendar::{Day, Month};
use daybook_domain::custody::{
    AccountSet, Booked, BreaksMatched, FileCut, FileSent, Item, Opened, RulesSet, StatementAccepted,
    StatementBooked, StatementCompleted,
};
use daybook_domain::matching::{Means, Rule, RuleSet};
use daybook_domain::node::Inapplicable;
use daybook_domain::posting::{LedgerAccount, Rail};
use daybook_domain::transaction::recipient::Obstacle;
use daybook_domain::transaction::{
    self, Announcement, ClearedItem, ContestCode, Direction, DishonorCode, EarlierEntry, QueueReason,
    Redirect,
};
use daybook_domain::{
    Actor, Bank, Currency, CustodyId, Event, FileId, OperationId, Origin, StatementId, breaks, evidence,
    node, statement, user,
};

use super::examples::{FEES, NOON, PAYMENT, PLATFORM, RECEIVER, SENDER, USER, postings, sealed};

const STATEMENT: StatementId = StatementId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_000a);
const RESTATED: StatementId = StatementId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_000b);
const FILE: FileId = FileId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_0009);

pub(super) fn examples() -> Vec<Event> {
    [transactions(), custody(), statements(), evidence(), breaks(), nodes()].concat()
}

fn transactions() -> Vec<Event> {
    use LedgerAccount::{Bank as At, Node, RailIn, ReturnOut};
    let bank = At(Bank::SANDBOX);
    vec![
        transaction::Queued {
            reasons: vec![QueueReason::SenderPermission, QueueReason::DailyLimit],
            waits_for: vec![],
            origin: Origin::PROCESS,
        }
        .into(),
        transaction::Announced {
            announcements: vec![
                Announcement { node: RECEIVER, minor: 5_850 },
                Announcement { node: FEES, minor: 150 },
            ],
            origin: Origin::PROCESS,
        }
        .into(),
        transaction::FeesRedirected {
            redirects: vec![Redirect {
                fee: 0,
                minor: 150,
                from: FEES,
                obstacle: Obstacle::Locked,
                to: RECEIVER,
            }],
            origin: Origin::PROCESS,
        }
        .into(),
        transaction::Released { origin: Origin::simulated() }.into(),
        transaction::Returned {
            code: "R01".parse().expect("known"),
            leg: Some(Direction::Pull),
            postings: Some(postings(&[(Node(SENDER), 6_000), (ReturnOut, -6_000)])),
            origin: Origin::of(Actor::Bank),
        }
        .into(),
        transaction::Submitted { file: FILE, rail: Rail::Ach, direction: Direction::Pull, trace: 17 }.into(),
        transaction::ReturnContested {
            code: ContestCode::TimelyReturn,
            leg: Direction::Pull,
            settlement_day: Some(305),
            returned_on: Some("2024-11-02".parse().expect("a day")),
            returned: EarlierEntry {
                trace: 91_000_010_000_071,
                code: "R01".parse().expect("known"),
                settlement_day: Some(306),
            },
            dishonored: EarlierEntry {
                trace: 987_654_320_000_001,
                code: DishonorCode::Untimely,
                settlement_day: Some(308),
            },
            origin: Origin::of(Actor::Bank),
        }
        .into(),
        transaction::Withdrawn { direction: Direction::Push }.into(),
        transaction::Cleared {
            custody: CustodyId::of(PLATFORM, Bank::SANDBOX),
            line: "L1".into(),
            postings: postings(&[(bank, 6_000), (RailIn(Rail::Ach), -6_000)]),
        }
        .into(),
        transaction::Reopened {
            custody: CustodyId::of(PLATFORM, Bank::SANDBOX),
            line: "L1".into(),
            postings: postings(&[(bank, -6_000), (RailIn(Rail::Ach), 6_000)]),
        }
        .into(),
    ]
}

fn custody() -> Vec<Event> {
    use LedgerAccount::{Bank as At, RailIn, Suspense};
    let line = |id: &str, amount, explains| Booked { id: id.into(), amount, explains, met: None };
    vec![
        Opened { platform: PLATFORM, bank: Bank::SANDBOX, sandbox: true }.into(),
        StatementBooked {
            currency: Currency::USD,
            day: "2024-11-23".parse().expect("a day"),
            opening: 100,
            closing: 6_093,
            lines: vec![line("L1", 6_000, Some((PAYMENT, RailIn(Rail::Ach)))), line("L2", -7, None)],
            postings: Some(postings(&[(At(Bank::SANDBOX), -7), (Suspense, 7)])),
            origin: Origin::of(Actor::Bank),
            details: Some(sealed()),
        }
        .into(),
        FileCut {
            file: FILE,
            rail: Rail::Ach,
            number: 3,
            items: vec![Item { transaction: PAYMENT, direction: Direction::Pull, amount: 6_000, trace: 17 }],
            cut_off: None,
            authorizations: None,
        }
        .into(),
        FileSent { file: FILE, as_of: None }.into(),
        StatementAccepted {
            statement: STATEMENT,
            currency: Currency::USD,
            day: Day::of(NOON),
            closing: 6_093,
            lines: 2,
            takes_back: Some(RESTATED),
        }
        .into(),
        StatementCompleted { statement: STATEMENT, to_match: true }.into(),
        AccountSet {
            account: "DE89370400440532013000".parse().expect("a number"),
            origin: Origin::of(Actor::Bank),
        }
        .into(),
        RulesSet { version: 2, rules: rules(), origin: Origin::of(Actor::Bank) }.into(),
        BreaksMatched { runs: 7, version: 2, matched: 3, left: 1 }.into(),
    ]
}

/// Rules with every parameter.
fn rules() -> RuleSet {
    let currency = Some(Currency::USD);
    let amounts = Rule {
        codes: vec!["NTRF".parse().expect("a code"), "400..499".parse().expect("a range")],
        text: Some("REF ([0-9]+)".into()),
        currency,
        days: Some(2),
        rail: Some(Rail::Wire),
        ..Rule::new("amounts", Means::Amount)
    };
    let near = Rule {
        currency,
        of: Some("amounts".into()),
        difference: Some(5),
        node: Some(SENDER),
        ..Rule::new("near", Means::Tolerance)
    };
    let fees = Rule {
        codes: vec!["698".parse().expect("a code")],
        currency,
        node: Some(SENDER),
        per_line: Some(2_500),
        per_day: Some(5_000),
        ..Rule::new("fees", Means::Book)
    };
    let similar = Rule { threshold: Some(60), ..Rule::new("similar", Means::Suggest) };
    vec![amounts, near, fees, similar].try_into().expect("can be meant")
}

fn statements() -> Vec<Event> {
    use LedgerAccount::{Bank as At, RailIn, Suspense};
    let line = |id: &str, amount, explains| Booked { id: id.into(), amount, explains, met: None };
    vec![
        statement::Accepted {
            platform: PLATFORM,
            custody: CustodyId::of(PLATFORM, Bank::SANDBOX),
            currency: Currency::USD,
            day: Day::of(NOON),
            opening: 100,
            closing: 6_093,
            lines: 2,
            format: "camt.053.001.08".into(),
            file: "0f".repeat(32),
            bytes: 4_711,
            replaces: Some(RESTATED),
            later: 10,
            origin: Origin::of(Actor::Bank),
        }
        .into(),
        statement::LinesBooked {
            first: 0,
            lines: vec![
                line("2024-11-23.1", 6_000, Some((PAYMENT, RailIn(Rail::Ach)))),
                line("2024-11-23.2", -7, None),
            ],
            postings: Some(postings(&[(At(Bank::SANDBOX), -7), (Suspense, 7)])),
            origin: Origin::of(Actor::Bank),
        }
        .into(),
        statement::Replaced { by: STATEMENT, later: 10, origin: Origin::of(Actor::Bank) }.into(),
        statement::LinesTakenBack {
            first: 1,
            lines: vec![line("2024-11-23.2", -7, None)],
            postings: Some(postings(&[(At(Bank::SANDBOX), 7), (Suspense, -7)])),
            origin: Origin::of(Actor::Bank),
        }
        .into(),
    ]
}

fn evidence() -> Vec<Event> {
    vec![
        evidence::Opened {
            platform: PLATFORM,
            custody: CustodyId::of(PLATFORM, Bank::SANDBOX),
            month: Month::of(Day::of(NOON)),
            kept_until: Day::of(NOON).plus_days(3_653),
        }
        .into(),
        evidence::Destroyed {}.into(),
    ]
}

fn breaks() -> Vec<Event> {
    use LedgerAccount::{Node, RailIn, Suspense};
    let items = vec![ClearedItem { transaction: PAYMENT, account: RailIn(Rail::Ach), amount: 6_000 }];
    let origin = Origin::of(Actor::Bank);
    vec![
        breaks::Opened {
            platform: PLATFORM,
            custody: CustodyId::of(PLATFORM, Bank::SANDBOX),
            statement: Some(STATEMENT),
            line: "2024-11-23.2".into(),
            currency: Currency::USD,
            day: Day::of(NOON),
            amount: 5_993,
        }
        .into(),
        breaks::Matched {
            number: 0,
            items: items.clone(),
            postings: Some(postings(&[(Suspense, -7), (Node(SENDER), 7)])),
            strategy: breaks::Strategy::File,
            rule: Some(breaks::RuleName { version: 2, name: "files".into() }),
            rest: 70,
            origin,
        }
        .into(),
        breaks::Unmatched {
            number: 0,
            items,
            postings: Some(postings(&[(Suspense, 7), (Node(SENDER), -7)])),
            origin,
        }
        .into(),
        breaks::Withdrawn {}.into(),
        transaction::WrittenOff {
            operation: OperationId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_000c),
            account: RailIn(Rail::Ach),
            amount: 6_000,
        }
        .into(),
    ]
}

fn nodes() -> Vec<Event> {
    vec![
        node::MicroDepositsSent { transactions: [PAYMENT, PAYMENT], amounts: [10, 99] }.into(),
        node::MicroDepositsFailed {}.into(),
        node::MicroDepositsVerified {}.into(),
        node::MicroDepositsMissed { attempts: 2 }.into(),
        user::MicroDepositsCounted { day: Day::of(NOON), count: 3 }.into(),
        node::MicroDepositsResent { transactions: [PAYMENT, PAYMENT], amounts: [10, 99], count: 3 }.into(),
        node::MicroDepositsInapplicable { reason: Inapplicable::OtherType }.into(),
        node::AuthorizationEnded { code: "R10".parse().expect("a code"), origin: Origin::of(Actor::Bank) }
            .into(),
        node::Relabeled { changes_supp_id: true, details: Some(sealed()) }.into(),
        node::Corrected {
            code: node::ChangeCode::AccountNumAndClass,
            transaction: PAYMENT,
            leg: Direction::Pull,
            origin: Origin::of(Actor::Bank),
            details: Some(sealed()),
        }
        .into(),
        node::Deactivated { origin: Origin::of(Actor::User(USER)) }.into(),
    ]
}
