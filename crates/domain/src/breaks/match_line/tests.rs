use super::*;
use crate::Command;
use crate::actor::Actor;
use crate::aggregate::NewEvent;
use crate::breaks::event::{Opened, RuleName};
use crate::breaks::unmatch::UnmatchLine;
use crate::breaks::{MatchSum, Withdrawn};
use crate::calendar::Day;
use crate::id::{OperatorId, TransactionId};
use crate::matching::{Means, Rule};
use crate::money::Currency;
use crate::operation::Act;
use crate::posting::Rail;
use crate::statement::take_back::TakeBackLines;
use crate::testing::fixture::{
    ANNS, BOBS, CUSTODY, OUTSIDE, PLATFORM, RESERVE, accept, book_lines, fund, income, operate, restate,
    statement, statement_of,
};
use crate::testing::{World, given};

/// Incomes of 100 and 40, which the bank states as one line of `amount`.
fn stated(amount: i64) -> World {
    given([fund(ANNS, 100), fund(BOBS, 40), accept(&[(0, 0, amount, 1)]), book_lines(0, 0, &[(amount, 0)])])
}

fn id() -> BreakId {
    BreakId::of(statement_of(0), 0)
}

fn item(transaction: TransactionId, amount: i64) -> ClearedItem {
    ClearedItem { transaction, account: LedgerAccount::RailIn(Rail::Ach), amount }
}

fn both() -> Vec<ClearedItem> {
    vec![item(income(ANNS, 100).id, 100), item(income(BOBS, 40).id, 40)]
}

fn matching(items: &[ClearedItem], posts: &[(LedgerAccount, i64)]) -> MatchLine {
    let posts = posts.iter().map(|&(account, amount)| Posting { account, amount }).collect();
    let (items, by, origin) = (items.to_vec(), None, Origin::PROCESS);
    MatchLine { id: id(), platform: PLATFORM, currency: Currency::USD, items, posts, by, origin }
}

fn open_items(world: &World) -> usize {
    both().iter().filter(|item| item.is_open(world, PLATFORM, Currency::USD)).count()
}

fn left(world: &World) -> i64 {
    world.line_break(id()).expect("opened").left
}

/// Takes back the match with this number.
fn unmatching(world: &World, number: u32, command: &MatchLine) -> UnmatchLine {
    let line = world.line_break(id()).expect("opened");
    let postings = command.postings(line).expect("in range");
    let (items, strategy, origin) = (command.items.clone(), Strategy::Operator, command.origin);
    let matched = Matched { number, items, postings, strategy, rule: None, rest: 0, origin };
    UnmatchLine { id: id(), platform: PLATFORM, matched, origin }
}

#[test]
fn unexplained_line_opens_a_break() {
    let mut world = given([accept(&[(0, 0, 7, 2)])]);
    let facts = world.submit(&book_lines(0, 0, &[(12, 0), (-5, 0)])).expect("booked");
    let opened = |number: u32, amount| {
        let (statement, line) = (Some(statement_of(0)), format!("L{number}"));
        let (currency, day) = (Currency::USD, Day::default());
        let opened = Opened { platform: PLATFORM, custody: CUSTODY, statement, line, currency, day, amount };
        NewEvent::new(BreakId::of(statement_of(0), number), opened)
    };
    assert_eq!(facts[1..3], [opened(0, 12), opened(1, -5)]);
    // A day without a file has breaks as well.
    let world = given([statement(0, 0, &[(5, 0)])]);
    let id = BreakId::of_day(CUSTODY, Currency::USD, Day::default(), 0);
    assert_eq!(world.line_break(id).map(|line| line.left), Some(5));
}

#[test]
fn one_line_clears_several_items() {
    let mut world = stated(140);
    let facts = world.submit(&matching(&both(), &[]).into()).expect("matched");
    let names: Vec<_> = facts.iter().map(|fact| fact.event.name()).collect();
    assert_eq!(names, ["break.matched", "transaction.cleared", "transaction.cleared"]);
    assert_eq!((left(&world), open_items(&world)), (0, 0));
    assert_eq!(world.submit(&matching(&both(), &[]).into()), Err(Refusal::TooMuch.into()));
}

#[test]
fn fee_is_posted_to_a_node() {
    let mut world = stated(135);
    let posts = [(LedgerAccount::Node(RESERVE), -5)];
    let before = world.account(RESERVE, Currency::USD).posted;
    world.submit(&matching(&both(), &posts).into()).expect("matched");
    assert_eq!((left(&world), open_items(&world)), (0, 0));
    assert_eq!(world.account(RESERVE, Currency::USD).posted, before - 5);
}

#[test]
fn match_in_parts_leaves_the_rest() {
    let mut world = stated(140);
    let [ann, bob] = [vec![both()[0]], vec![both()[1]]];
    world.submit(&matching(&ann, &[]).into()).expect("matched");
    assert_eq!((left(&world), open_items(&world)), (40, 1));
    world.submit(&matching(&bob, &[]).into()).expect("matched");
    let line = world.line_break(id()).expect("opened");
    let sums = [(0, 100), (1, 40)].map(|(number, amount)| MatchSum { number, amount });
    assert_eq!((line.left, &line.matches[..]), (0, &sums[..]));
}

#[test]
fn unmatched_line_is_in_suspense_again() {
    let mut world = stated(135);
    let posts = [(LedgerAccount::Node(RESERVE), -5)];
    let matching = matching(&both(), &posts);
    let before = world.account(RESERVE, Currency::USD).posted;
    let unmatching = unmatching(&world, 0, &matching);
    assert_eq!(world.submit(&unmatching.clone().into()), Err(Refusal::NoMatch.into()));
    world.submit(&matching.clone().into()).expect("matched");
    world.submit(&unmatching.clone().into()).expect("taken back");
    assert_eq!((left(&world), open_items(&world)), (135, 2));
    assert_eq!(world.account(RESERVE, Currency::USD).posted, before);
    assert_eq!(world.submit(&unmatching.into()), Err(Refusal::NoMatch.into()));
    world.submit(&matching.into()).expect("matched again");
    assert_eq!(world.line_break(id()).expect("opened").matches, [MatchSum { number: 1, amount: 135 }]);
}

#[test]
fn match_explains_open_items_only() {
    let [ann, bob] = [both()[0], both()[1]];
    let returned = ClearedItem { account: LedgerAccount::ReturnOut, ..ann };
    let stranger = item(TransactionId::from_u128(404), 100);
    let node = |account, amount| vec![(account, amount)];
    let table = [
        (vec![], vec![], Refusal::Count),
        (vec![ann, ann], vec![], Refusal::Count),
        (vec![ClearedItem { amount: 0, ..ann }], vec![], Refusal::OutOfRange),
        (vec![ClearedItem { amount: -100, ..ann }], vec![], Refusal::TooMuch),
        (vec![ann, ClearedItem { amount: 41, ..bob }], vec![], Refusal::TooMuch),
        (vec![ann, ClearedItem { amount: -40, ..bob }], vec![], Refusal::NotOpen),
        (vec![ClearedItem { amount: 101, ..ann }], vec![], Refusal::NotOpen),
        (vec![returned], vec![], Refusal::NotOpen),
        (vec![stranger], vec![], Refusal::NotOpen),
        (vec![ann], node(LedgerAccount::Node(OUTSIDE), 40), Refusal::Account),
        (vec![ann], node(LedgerAccount::Suspense, 40), Refusal::Account),
        (vec![ann], node(LedgerAccount::Transit, 40), Refusal::Account),
    ];
    for (items, posts, refusal) in table {
        stated(140).when(matching(&items, &posts)).refused(refusal);
    }
    let euro = Currency::parse("EUR").expect("ISO 4217");
    stated(140).when(MatchLine { currency: euro, ..matching(&both(), &[]) }).refused(Refusal::Currency);
    let elsewhere = MatchLine { platform: PlatformId::from_u128(2), ..matching(&both(), &[]) };
    stated(140).when(elsewhere).refused(Refusal::Unknown);
}

#[test]
fn matched_line_cannot_be_taken_back() {
    let mut world = stated(140);
    let matching = matching(&both(), &[]);
    world.submit(&matching.clone().into()).expect("matched");
    world.submit(&restate(&[(0, 0, 140, 1)])).expect("restated");
    let line = crate::custody::Booked { id: "L0".into(), amount: 140, explains: None, met: None };
    let origin = Origin::PROCESS;
    let back: Command =
        TakeBackLines { statement: statement_of(0), first: 0, lines: vec![line], origin }.into();
    assert_eq!(world.submit(&back), Err(Refusal::Matched.into()));
    world.submit(&unmatching(&world, 0, &matching).into()).expect("taken back");
    let facts = world.submit(&back).expect("taken back");
    assert!(facts.contains(&NewEvent::new(id(), Withdrawn {})), "{facts:?}");
    assert_eq!(world.submit(&matching.into()), Err(Refusal::Withdrawn.into()));
}

/// A rule that explains the line by these items, with `rest` for commands that follow.
fn by_rule(items: &[ClearedItem], rest: i64) -> MatchLine {
    let rule = RuleName { version: 0, name: "file".into() };
    MatchLine { by: Some(ByRule { strategy: Strategy::File, rule, rest }), ..matching(items, &[]) }
}

#[test]
fn rule_explains_the_whole_rest() {
    let world = stated(140);
    world.clone().when(by_rule(&both()[..1], 39)).refused(Refusal::Changed);
    world.clone().when(by_rule(&both()[..1], 0)).refused(Refusal::Changed);
    let mut world = world;
    world.submit(&by_rule(&both()[..1], 40).into()).expect("the first part");
    assert_eq!(left(&world), 40);
    // Another process repeats the first part.
    world.clone().when(by_rule(&both()[..1], 40)).refused(Refusal::Changed);
    world.submit(&by_rule(&both()[1..], 0).into()).expect("the last part");
    assert_eq!((left(&world), open_items(&world)), (0, 0));
}

#[test]
fn part_of_rule_may_exceed_the_line() {
    // The bank states a file net: more comes in by one entry than the line has.
    let mut world = stated(60);
    world.submit(&by_rule(&both()[..1], -40).into()).expect("the first part");
    assert_eq!(left(&world), -40);
    world.clone().when(matching(&both()[1..], &[])).refused(Refusal::TooMuch);
}

#[test]
fn replaced_rules_make_no_match() {
    let rules = vec![Rule::new("files", Means::File)].try_into().expect("can be meant");
    let mut world = stated(140);
    world.submit(&operate(1, Act::SetRules { rules }).into()).expect("set");
    world.when(by_rule(&both(), 0)).refused(Refusal::Changed);
}

#[test]
fn rules_leave_operators_their_lines() {
    let mut world = stated(140);
    let by_operator = Origin::of(Actor::Operator(OperatorId::from_u128(1)));
    world.submit(&by_rule(&both(), 0).into()).expect("matched");
    let end = unmatching(&world, 0, &by_rule(&both(), 0));
    world.submit(&UnmatchLine { origin: by_operator, ..end }.into()).expect("taken back");
    world.clone().when(by_rule(&both(), 0)).refused(Refusal::Changed);
    world.submit(&matching(&both(), &[]).into()).expect("by an operator");
}
