use super::*;
use crate::custody::Booked;
use crate::posting::{LedgerAccount, Rail};
use crate::testing::fixture::{ANNS, CUSTODY, accept, advance_clock, book_lines, fund, income, statement_of};
use crate::testing::{World, given};
use crate::time::DAY_MS;
use crate::{Bank, Event, process};

/// Transaction that moved 100 onto a node.
fn funded() -> u128 {
    income(ANNS, 100).id.as_u128()
}

/// The fixture bank ten days after its first day, with an open item of 100 and these accepted statements.
fn accepted(statements: &[(i32, i64, i64, u32)]) -> World {
    let mut world = given([fund(ANNS, 100), advance_clock(10 * DAY_MS).into()]);
    world.submit(&accept(statements)).expect("accepted");
    world
}

fn statement(world: &World, day: i32) -> Statement {
    world.statement(statement_of(day)).expect("accepted").clone()
}

#[test]
fn lines_clear_items_or_go_to_suspense() {
    let mut world = accepted(&[(1, 0, 93, 2)]);
    let facts = world.submit(&book_lines(1, 0, &[(100, funded()), (-7, 0)])).expect("booked");
    let names: Vec<_> = facts.iter().map(|fact| fact.event.name()).collect();
    let expected =
        ["statement.lines_booked", "transaction.cleared", "break.opened", "custody.statement_completed"];
    assert_eq!(names, expected);
    let Event::Statement(super::super::Event::LinesBooked(booked)) = &facts[0].event else { panic!() };
    let explains = Some((income(ANNS, 100).id, LedgerAccount::RailIn(Rail::Ach)));
    assert_eq!(booked.lines[0], Booked { id: "L0".into(), amount: 100, explains, met: None });
    let suspense: Vec<_> = booked.postings.as_ref().expect("posts").lines().to_vec();
    assert_eq!(suspense[0].account, LedgerAccount::Bank(Bank::SANDBOX));
    assert_eq!((suspense[0].amount, suspense[1].amount), (-7, 7));
    assert_eq!(world.custody(CUSTODY).expect("opened").booking, []);
}

#[test]
fn lines_are_booked_once_in_order() {
    let mut world = accepted(&[(1, 0, 60, 3)]);
    let first = book_lines(1, 0, &[(10, 0), (20, 0)]);
    world.submit(&first).expect("booked");
    assert_eq!((statement(&world, 1).booked, statement(&world, 1).balance), (2, 30));
    assert_eq!(world.submit(&first), Ok(vec![]), "another process was faster");
    assert_eq!(world.submit(&book_lines(1, 1, &[(20, 0)])), Ok(vec![]));
    world.submit(&book_lines(1, 2, &[(30, 0)])).expect("booked");
    assert_eq!(world.submit(&book_lines(1, 3, &[(30, 0)])), Ok(vec![]));
    assert_eq!(statement(&world, 1).balance, 60);
}

#[test]
fn other_lines_are_refused() {
    for lines in [&[(10, 0), (20, 0), (31, 0)][..], &[], &[(15, 0); 4], &[(i64::MIN, 0)], &[(i64::MAX, 0); 2]]
    {
        let mut world = accepted(&[(1, 0, 60, 3)]);
        let refused = world.submit(&book_lines(1, 0, lines));
        assert_eq!(refused, Err(Refusal::OtherLines.into()), "{lines:?}");
    }
}

#[test]
fn earlier_statement_is_booked_first() {
    let mut world = accepted(&[(1, 0, 10, 1), (2, 10, 30, 1)]);
    let second = book_lines(2, 0, &[(20, 0)]);
    assert_eq!(world.submit(&second), Err(Refusal::NotNext.into()));
    world.submit(&book_lines(1, 0, &[(10, 0)])).expect("booked");
    world.submit(&second).expect("booked");
}

#[test]
fn statement_is_due_until_it_is_booked() {
    let mut world = accepted(&[(1, 0, 60, 2)]);
    let due = |world: &World| {
        let state = world.state(statement_of(1).into()).expect("accepted").clone();
        process::to_do(&state).map(|to_do| to_do.process)
    };
    assert_eq!(due(&world), Some(process::Process::Booking));
    world.submit(&book_lines(1, 0, &[(10, 0), (50, 0)])).expect("booked");
    assert_eq!(due(&world), None);
}
