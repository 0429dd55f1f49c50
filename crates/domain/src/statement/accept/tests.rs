use super::*;
use crate::Command;
use crate::custody::Refusal as Custody;
use crate::refusal::Refusal as No;
use crate::testing::fixture::{CUSTODY, accept, advance_clock, book_lines, statement, statement_of};
use crate::testing::{World, given};
use crate::time::DAY_MS;

/// A statement: day, opening and closing balance, number of lines.
type Row = (i32, i64, i64, u32);

/// The fixture bank ten days after its first day.
fn later() -> World {
    given([advance_clock(10 * DAY_MS).into()])
}

fn names(facts: &[NewEvent]) -> Vec<&'static str> {
    facts.iter().map(|fact| fact.event.name()).collect()
}

#[test]
fn days_of_file_are_accepted_together() {
    let mut world = later();
    let facts = world.submit(&accept(&[(1, 0, 40, 2), (2, 40, 40, 0), (4, 40, -7, 1)])).expect("accepted");
    let each = ["statement.accepted", "custody.statement_accepted"];
    assert_eq!(names(&facts), [each, each, each].concat());
    let custody = world.custody(CUSTODY).expect("opened");
    assert_eq!(custody.balance(Currency::USD), -7);
    // A statement without lines has nothing to book.
    assert_eq!(custody.booking, [1, 4].map(statement_of));
}

#[test]
fn same_file_twice_changes_nothing() {
    let mut world = later();
    let file = accept(&[(1, 0, 40, 2)]);
    world.submit(&file).expect("accepted");
    assert_eq!(world.submit(&file), Ok(vec![]));
    world.submit(&book_lines(1, 0, &[(30, 0), (10, 0)])).expect("booked");
    assert_eq!(world.submit(&file), Ok(vec![]));
}

#[test]
fn file_with_one_wrong_day_is_refused() {
    let cases: [(&[Row], No); 6] = [
        (&[(1, 0, 40, 2), (2, 41, 50, 1)], Custody::Opening.into()),
        (&[(1, 5, 40, 2)], Custody::Opening.into()),
        (&[(2, 0, 40, 2), (1, 40, 50, 1)], Custody::Stated.into()),
        (&[(1, 0, 40, 2), (11, 40, 50, 1)], Custody::Future.into()),
        (&[(1, 0, 40, 0)], Refusal::OtherLines.into()),
        (&[(-1, 0, 40, 1)], Custody::Stated.into()),
    ];
    for (statements, refusal) in cases {
        let mut world = later();
        let before = world.clone();
        assert_eq!(world.submit(&accept(statements)), Err(refusal), "{statements:?}");
        assert_eq!(world, before, "{statements:?}");
    }
}

#[test]
fn whole_statement_waits_for_booked_lines() {
    let mut world = later();
    world.submit(&accept(&[(1, 0, 40, 1)])).expect("accepted");
    let next: Command = statement(2, 40, &[]);
    assert_eq!(world.submit(&next), Err(Custody::Booking.into()));
    world.submit(&book_lines(1, 0, &[(40, 0)])).expect("booked");
    world.submit(&next).expect("booked");
}
