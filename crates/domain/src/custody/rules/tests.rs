use super::*;
use crate::Command;
use crate::custody::BreaksMatched;
use crate::matching::{Means, Rule};
use crate::operation::Act;
use crate::process::{Process, banking};
use crate::testing::fixture::{ANNS, CUSTODY, OUTSIDE, accept, advance_clock, book_lines, fund, operate};
use crate::testing::{World, given};
use crate::time::DAY_MS;

fn rules(node: Option<crate::NodeId>) -> RuleSet {
    let booked = node.map(|node| Rule {
        codes: vec!["698".parse().expect("a code")],
        currency: Some(crate::Currency::USD),
        node: Some(node),
        per_line: Some(1),
        per_day: Some(1),
        ..Rule::new("fees", Means::Book)
    });
    let rules: Vec<Rule> = [Rule::new("files", Means::File)].into_iter().chain(booked).collect();
    rules.try_into().expect("can be meant")
}

/// The operation `number` that sets the rules.
fn set(number: u128, node: Option<crate::NodeId>) -> Command {
    operate(number, Act::SetRules { rules: rules(node) }).into()
}

fn is_due(world: &World) -> bool {
    let to_do = world.custody(CUSTODY).and_then(banking::to_do);
    to_do.is_some_and(|to_do| to_do.process == Process::Matching)
}

fn end(due: u32) -> EndMatching {
    EndMatching { custody: CUSTODY, due, version: 0, matched: 0, left: 1 }
}

#[test]
fn newest_rule_set_counts() {
    let mut world = given([fund(ANNS, 1)]);
    assert_eq!(world.custody(CUSTODY).expect("opened").rules(), Rules::built_in());
    world.submit(&set(1, None)).expect("set");
    world.submit(&set(2, Some(ANNS))).expect("set");
    let newest = world.custody(CUSTODY).expect("opened").rules();
    assert_eq!((newest.version, newest.set), (2, rules(Some(ANNS))));
    let facts = world.submit(&set(3, Some(ANNS))).expect("accepted");
    assert!(facts.iter().all(|fact| fact.key != CUSTODY.into()), "the set is the same");
}

#[test]
fn rules_post_to_own_held_nodes_only() {
    for node in [OUTSIDE, crate::NodeId::from_u128(99)] {
        given([fund(ANNS, 1)]).when(set(1, Some(node))).refused(Refusal::RuleNode);
    }
    let elsewhere = SetRules {
        custody: CUSTODY,
        platform: PlatformId::from_u128(2),
        rules: rules(None),
        origin: Origin::PROCESS,
    };
    assert_eq!(elsewhere.decide(&given([]), Timestamp::default()), Err(Refusal::Unknown.into()));
}

#[test]
fn statement_and_new_rules_request_run() {
    let mut world = given([accept(&[(0, 0, 7, 1)])]);
    assert!(!is_due(&world));
    world.submit(&book_lines(0, 0, &[(7, 0)])).expect("booked");
    assert!(is_due(&world));
    world.submit(&end(1).into()).expect("ended");
    assert!(!is_due(&world));
    world.submit(&set(1, None)).expect("set");
    assert!(is_due(&world));
}

#[test]
fn run_waits_for_lines_being_booked() {
    let accepted = accept(&[(0, 0, 7, 1), (1, 7, 9, 2)]);
    let mut world = given([advance_clock(DAY_MS).into(), accepted, book_lines(0, 0, &[(7, 0)])]);
    assert!(!is_due(&world), "the second statement has lines to book");
    world.submit(&book_lines(1, 0, &[(1, 0), (1, 0)])).expect("booked");
    assert!(is_due(&world));
}

#[test]
fn rules_set_during_run_request_another() {
    let mut world = given([accept(&[(0, 0, 7, 1)]), book_lines(0, 0, &[(7, 0)])]);
    // The run has begun; a new rule set comes before its end.
    world.submit(&set(1, None)).expect("set");
    world.submit(&end(1).into()).expect("ended");
    assert!(is_due(&world));
    world.submit(&end(2).into()).expect("ended");
    assert!(!is_due(&world));
}

#[test]
fn end_of_run_is_recorded_once() {
    let mut world = given([accept(&[(0, 0, 7, 1)]), book_lines(0, 0, &[(7, 0)])]);
    let ended = BreaksMatched { runs: 1, version: 0, matched: 0, left: 1 };
    world.clone().when(end(2)).then([]);
    world.clone().when(end(1)).then([NewEvent::new(CUSTODY, ended)]);
    world.submit(&end(1).into()).expect("ended");
    world.when(end(1)).then([]);
}
