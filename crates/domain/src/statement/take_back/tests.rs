use super::*;
use crate::Command;
use crate::custody::Refusal as Custody;
use crate::posting::LedgerAccount;
use crate::refusal::Refusal as No;
use crate::statement;
use crate::testing::fixture::{
    ANNS, CUSTODY, accept, advance_clock, book_lines, book_lines_of, fund, income, restate, restatement_of,
    statement_of,
};
use crate::testing::{World, given};
use crate::time::DAY_MS;
use crate::{Currency, Event, process};

/// A statement: day, opening and closing balance, number of lines.
type Row = (i32, i64, i64, u32);

/// Transaction that moved 100 onto a node.
fn funded() -> u128 {
    income(ANNS, 100).id.as_u128()
}

/// Three days of the bank, all booked: a line that clears the 100 and a fee, a day without lines, and one line.
fn booked() -> World {
    let mut world = given([fund(ANNS, 100), advance_clock(10 * DAY_MS).into()]);
    world.submit(&accept(&[(1, 0, 93, 2), (2, 93, 93, 0), (3, 93, 103, 1)])).expect("accepted");
    world.submit(&book_lines(1, 0, &[(100, funded()), (-7, 0)])).expect("booked");
    world.submit(&book_lines(3, 0, &[(10, 0)])).expect("booked");
    world
}

/// Takes back booked lines from number `first` on, as the events of the statement state them.
fn take_back(day: i32, first: u32, lines: Vec<Booked>) -> Command {
    let statement = statement_of(day);
    TakeBackLines { statement, first, lines, origin: Origin::PROCESS }.into()
}

/// A booked line; a line without a transaction is unexplained.
fn line(number: u32, amount: i64, is_explained: bool) -> Booked {
    let item = (income(ANNS, 100).id, LedgerAccount::RailIn(crate::posting::Rail::Ach));
    Booked { id: format!("L{number}"), amount, explains: is_explained.then_some(item), met: None }
}

fn names(facts: &[NewEvent]) -> Vec<&'static str> {
    facts.iter().map(|fact| fact.event.name()).collect()
}

/// Balance of the bank's account in the ledger, by the state of the next statement.
fn next_balance(world: &World) -> i64 {
    let next = world.custody(CUSTODY).expect("opened").booking[0];
    world.statement(next).expect("accepted").balance_at_bank()
}

#[test]
fn restated_day_is_taken_back_then_booked() {
    let mut world = booked();
    let facts = world.submit(&restate(&[(3, 93, 104, 1)])).expect("accepted");
    assert_eq!(names(&facts), ["statement.replaced", "statement.accepted", "custody.statement_accepted"]);
    let custody = world.custody(CUSTODY).expect("opened");
    assert_eq!(custody.booking, [statement_of(3), restatement_of(3)]);
    assert_eq!((custody.balance(Currency::USD), next_balance(&world)), (104, 103));
    let new = book_lines_of(restatement_of(3), 0, &[(11, 0)]);
    assert_eq!(world.submit(&new), Err(Refusal::NotNext.into()));
    let facts = world.submit(&take_back(3, 0, vec![line(0, 10, false)])).expect("taken back");
    assert_eq!(
        names(&facts),
        ["statement.lines_taken_back", "break.withdrawn", "custody.statement_completed"]
    );
    assert_eq!(next_balance(&world), 93);
    world.submit(&new).expect("booked");
    assert!(world.custody(CUSTODY).expect("opened").booking.is_empty());
}

#[test]
fn earlier_day_is_restated_below_later_ones() {
    let mut world = booked();
    world.submit(&restate(&[(1, 0, 93, 1)])).expect("accepted");
    assert_eq!(next_balance(&world), 103, "the later day stays booked");
    let lines = vec![line(0, 100, true), line(1, -7, false)];
    let facts = world.submit(&take_back(1, 0, lines)).expect("taken back");
    let expected = [
        "statement.lines_taken_back",
        "transaction.reopened",
        "break.withdrawn",
        "custody.statement_completed",
    ];
    assert_eq!(names(&facts), expected);
    let open = world.transaction(income(ANNS, 100).id).expect("funded").open_items();
    assert_eq!(open.len(), 1, "the item is open again");
    assert_eq!(next_balance(&world), 10);
    world.submit(&book_lines_of(restatement_of(1), 0, &[(93, funded())])).expect("booked");
    assert_eq!(world.custody(CUSTODY).expect("opened").balance(Currency::USD), 103);
}

#[test]
fn several_days_are_taken_back_newest_first() {
    let mut world = booked();
    world.submit(&restate(&[(1, 0, 90, 1), (2, 90, 92, 1), (3, 92, 92, 0)])).expect("accepted");
    let booking = &world.custody(CUSTODY).expect("opened").booking;
    assert_eq!(*booking, [statement_of(3), statement_of(1), restatement_of(1), restatement_of(2)]);
    let too_early = take_back(1, 1, vec![line(1, -7, false)]);
    assert_eq!(world.submit(&too_early), Err(Refusal::NotNext.into()));
    world.submit(&take_back(3, 0, vec![line(0, 10, false)])).expect("taken back");
    // One line at a time, the last one first.
    world.submit(&too_early).expect("taken back");
    assert_eq!(world.submit(&too_early), Ok(vec![]), "another process was faster");
    world.submit(&take_back(1, 0, vec![line(0, 100, true)])).expect("taken back");
    assert_eq!(next_balance(&world), 0);
}

#[test]
fn unfit_restatements_are_refused() {
    let cases: [(&[Row], No); 6] = [
        (&[(4, 103, 104, 1)], Refusal::NotReplaceable.into()),
        (&[(3, 94, 104, 1)], Refusal::LaterDays.into()),
        (&[(1, 0, 94, 1)], Refusal::LaterDays.into()),
        (&[(1, 0, 94, 1), (2, 93, 93, 0), (3, 93, 103, 1)], Refusal::LaterDays.into()),
        (&[(2, 93, 94, 1), (3, 93, 103, 1)], Refusal::LaterDays.into()),
        (&[(3, 93, 104, 0)], statement::Refusal::OtherLines.into()),
    ];
    for (statements, refusal) in cases {
        let mut world = booked();
        let before = world.clone();
        assert_eq!(world.submit(&restate(statements)), Err(refusal), "{statements:?}");
        assert_eq!(world, before, "{statements:?}");
    }
    let mut unbooked = given([advance_clock(10 * DAY_MS).into()]);
    unbooked.submit(&accept(&[(1, 0, 40, 2)])).expect("accepted");
    assert_eq!(unbooked.submit(&restate(&[(1, 0, 41, 2)])), Err(Custody::Booking.into()));
}

#[test]
fn replaced_statement_is_not_replaced_again() {
    let mut world = booked();
    world.submit(&restate(&[(3, 93, 93, 0)])).expect("accepted");
    world.submit(&take_back(3, 0, vec![line(0, 10, false)])).expect("taken back");
    assert_eq!(world.submit(&restate(&[(3, 93, 93, 0)])), Ok(vec![]), "the same file");
    let Command::AcceptStatements(again) = restate(&[(3, 93, 94, 1)]) else { unreachable!("a file") };
    let mut again = *again;
    again.file.statements[0].id = StatementId::from_u128(0x0005_9000);
    assert_eq!(world.submit(&Command::from(again)), Err(Refusal::NotReplaceable.into()));
}

#[test]
fn other_lines_than_booked_are_refused() {
    let others = [
        vec![line(0, 11, false)],
        vec![line(0, 10, true)],
        vec![line(0, 10, false), line(1, 1, false)],
        vec![],
    ];
    for lines in others {
        let mut world = booked();
        world.submit(&restate(&[(3, 93, 104, 1)])).expect("accepted");
        let count = lines.len();
        let done = world.submit(&take_back(3, 0, lines));
        let is_refused = done == Err(Refusal::OtherLines.into()) || (count != 1 && done == Ok(vec![]));
        assert!(is_refused, "{count}: {done:?}");
    }
}

#[test]
fn replaced_statement_is_due_until_taken_back() {
    let mut world = booked();
    let due = |world: &World| {
        let state = world.state(statement_of(1).into()).expect("accepted").clone();
        process::to_do(&state).map(|to_do| (to_do.process, to_do.step))
    };
    assert_eq!(due(&world), None);
    world.submit(&restate(&[(1, 0, 93, 1)])).expect("accepted");
    assert_eq!(due(&world), Some((process::Process::Booking, -1)));
    // A line of the old statement is not booked again.
    assert_eq!(world.submit(&book_lines(1, 2, &[(5, 0)])), Ok(vec![]));
    let facts = world.submit(&take_back(1, 0, vec![line(0, 100, true), line(1, -7, false)]));
    assert!(matches!(facts.expect("taken back")[0].event, Event::Statement(_)));
    assert_eq!(due(&world), None);
}
