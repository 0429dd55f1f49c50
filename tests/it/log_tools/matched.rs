//! Matches of lines in suspense, and items that are written off: edits of them that still balance are found.

use daybook_domain::breaks::match_line::{ByRule, MatchLine};
use daybook_domain::breaks::unmatch::UnmatchLine;
use daybook_domain::breaks::{Matched, RuleName, Strategy};
use daybook_domain::calendar::Day;
use daybook_domain::operation::Act;
use daybook_domain::posting::{LedgerAccount, Posting, Rail};
use daybook_domain::testing::fixture::{self, ANNS, CUSTODY, PLATFORM, RESERVE};
use daybook_domain::transaction::ClearedItem;
use daybook_domain::{BreakId, Currency, Origin};

use super::Ledger;
use super::tamper::{Rows, all_are_found};

const RAIL: LedgerAccount = LedgerAccount::RailIn(Rail::Ach);

fn item(amount: i64) -> ClearedItem {
    ClearedItem { transaction: fixture::income(ANNS, 500).id, account: RAIL, amount }
}

/// Matches the line of 7 on the first day.
fn matching(items: Vec<ClearedItem>, posts: Vec<Posting>) -> MatchLine {
    let (id, currency) = (BreakId::of_day(CUSTODY, Currency::USD, Day::default(), 2), Currency::USD);
    MatchLine { id, platform: PLATFORM, currency, items, posts, by: None, origin: Origin::PROCESS }
}

/// A log with two matches, one of an operator that is taken back and one of a rule, and an item that is written off.
async fn matched() -> Rows {
    let mut ledger = Ledger::small().await;
    let on = |account, amount| Posting { account, amount };
    let fee = matching(vec![], vec![on(LedgerAccount::Node(RESERVE), 7)]);
    let postings = fixture::postings(&[on(LedgerAccount::Suspense, 7), fixture::on_node(RESERVE, -7)]);
    let MatchLine { id, platform, origin, .. } = fee.clone();
    let strategy = Strategy::Operator;
    let made =
        Matched { number: 0, items: vec![], postings: Some(postings), strategy, rule: None, rest: 0, origin };
    let lost = fixture::postings(&[on(RAIL, -93), fixture::on_node(RESERVE, 93)]);
    let write_off = Act::Journal { postings: lost, effective_at: None, clears: vec![item(93)] };
    ledger.story.tell_all([fixture::fund(ANNS, 500), fee.into()]).await;
    ledger.story.tell(UnmatchLine { id, platform, matched: made, origin }).await;
    let rule = RuleName { version: 0, name: "reference".to_owned() };
    let by = Some(ByRule { strategy: Strategy::Reference, rule, rest: 0 });
    ledger.story.tell(MatchLine { by, ..matching(vec![item(7)], vec![]) }).await;
    ledger.story.tell(fixture::operate(7_100, write_off)).await;
    Rows::of(&ledger).await
}

#[tokio::test]
async fn edits_of_matches_are_found() {
    let rows = matched().await;
    assert_eq!(rows.verify().findings, []);
    let amount = |minor: i64| format!("\"amount\":{minor}");
    let number = |number: u32| format!("\"number\":{number}");
    let text = |key: &str, text: &str| format!("\"{key}\":\"{text}\"");
    let (rule, strategy) = (text("name", "reference"), text("strategy", "reference"));
    let version = |version: u32| format!("\"version\":{version}");
    let edits = [
        (140, &*amount(7), vec![(amount(7), amount(6))], 140),
        (141, &*number(0), vec![(number(0), number(3))], 141),
        (141, "postings", vec![(amount(7), amount(6)), (amount(-7), amount(-6))], 141),
        (141, "postings", vec![(amount(7), amount(8)), (amount(-7), amount(-8))], 141),
        (141, "items", vec![(amount(7), amount(6))], 141),
        (141, &rule, vec![(rule.clone(), text("name", "file"))], 141),
        (141, &rule, vec![(version(0), version(1))], 141),
        (141, &rule, vec![(strategy, text("strategy", "file"))], 141),
        (142, &*number(0), vec![(number(0), number(1))], 142),
        (142, "postings", vec![(amount(7), amount(6)), (amount(-7), amount(-6))], 142),
        (55, &*amount(93), vec![(amount(93), amount(92))], 55),
    ];
    all_are_found(&rows, &edits);
}
