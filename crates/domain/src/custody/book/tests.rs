use super::super::event::Booked;
use super::*;
use crate::actor::Actor;
use crate::bank::Bank;
use crate::id::{PlatformId, TransactionId};
use crate::operation::Act;
use crate::posting::{LedgerAccount, Posting, Rail};
use crate::testing::fixture::{
    ANNS, BOBS_BANK, CUSTODY, FEES, FILE, PLATFORM, PULLED, WIRED, advance_clock, between, bounce, credit,
    cut_as, debit, fee, fund, hasty, income, on_rail_in, on_rail_out, operate, postings, pull, settle,
    statement, transaction as number, usd, way,
};
use crate::testing::{World, given};
use crate::time::DAY_MS;
use crate::transaction::Direction;
use crate::transaction::create::Create;
use crate::transaction::returns::ReturnTransaction;
use crate::{Command, Event, transaction};

/// A booked line, with the open item that it clears, if any.
fn line(id: &str, amount: i64, about: Option<(TransactionId, LedgerAccount)>) -> Booked {
    Booked { id: id.into(), amount, explains: about, met: None }
}

/// The booked statement of the first day, with an opening balance of 0.
fn booked(closing: i64, lines: &[Booked], suspended: &[i64]) -> NewEvent {
    let on = |account, amount| Posting { account, amount };
    let against = |amount: &i64| [on_bank(*amount), on(LedgerAccount::Suspense, -amount)];
    let suspended: Vec<Posting> = suspended.iter().flat_map(against).collect();
    let booked = StatementBooked {
        currency: Currency::USD,
        day: Day::default(),
        opening: 0,
        closing,
        lines: lines.to_vec(),
        postings: (!suspended.is_empty()).then(|| postings(&suspended)),
        origin: Origin::of(Actor::Bank),
        details: None,
    };
    NewEvent::new(CUSTODY, booked)
}

fn on_bank(amount: i64) -> Posting {
    Posting { account: LedgerAccount::Bank(Bank::SANDBOX), amount }
}

fn cleared(id: TransactionId, line: &str, lines: &[Posting]) -> NewEvent {
    NewEvent::new(id, transaction::Cleared { custody: CUSTODY, line: line.into(), postings: postings(lines) })
}

fn open(world: &World, id: TransactionId) -> Vec<(LedgerAccount, i64)> {
    let items = world.transaction(id).expect("created").open_items();
    items.iter().map(|item| (item.account, item.amount)).collect()
}

fn funded() -> TransactionId {
    income(ANNS, 100).id
}

const ACH_IN: LedgerAccount = LedgerAccount::RailIn(Rail::Ach);
const ACH_OUT: LedgerAccount = LedgerAccount::RailOut(Rail::Ach);

/// A line of the first day in suspense.
fn opened(number: u32, amount: i64) -> NewEvent {
    let (currency, day) = (Currency::USD, Day::default());
    let opened = crate::breaks::Opened {
        platform: PLATFORM,
        custody: CUSTODY,
        statement: None,
        line: format!("L{number}"),
        currency,
        day,
        amount,
    };
    NewEvent::new(BreakId::of_day(CUSTODY, currency, day, number), opened)
}

#[test]
fn statement_line_clears_an_open_item() {
    let id = funded();
    let world = given([fund(ANNS, 100)]);
    assert_eq!(open(&world, id), [(ACH_IN, 100)]);
    let world = world.when(statement(0, 0, &[(100, id.as_u128())])).then([
        booked(100, &[line("L0", 100, Some((id, ACH_IN)))], &[]),
        cleared(id, "L0", &[on_bank(100), on_rail_in(Rail::Ach, -100)]),
    ]);
    assert_eq!(open(&world, id), []);
    assert_eq!(world.custody(CUSTODY).map(|custody| custody.balance(Currency::USD)), Some(100));
}

#[test]
fn outgoing_line_clears_a_sent_push() {
    let create = between(1, ANNS, BOBS_BANK, 60);
    let (push, id) = (way(&create), create.id);
    let funds = funded().as_u128();
    let world = given([fund(ANNS, 100)].into_iter().chain(push));
    world.when(statement(0, 0, &[(100, funds), (-60, 1)])).then([
        booked(40, &[line("L0", 100, Some((funded(), ACH_IN))), line("L1", -60, Some((id, ACH_OUT)))], &[]),
        cleared(funded(), "L0", &[on_bank(100), on_rail_in(Rail::Ach, -100)]),
        cleared(id, "L1", &[on_bank(-60), on_rail_out(Rail::Ach, 60)]),
    ]);
}

#[test]
fn partial_line_leaves_the_rest_open() {
    let id = funded();
    let world = given([fund(ANNS, 100), statement(0, 0, &[(70, id.as_u128())])]).later(DAY_MS);
    assert_eq!(open(&world, id), [(ACH_IN, 30)]);
    let world = world.when(statement(1, 70, &[(30, id.as_u128())])).accepted();
    assert_eq!(open(&world, id), []);
}

#[test]
fn unexplained_line_goes_to_suspense() {
    let id = funded();
    let table = [
        ("about nothing", 0, 5),
        ("about what is not there", 404, 5),
        ("more than is open", id.as_u128(), 101),
        ("the other way", id.as_u128(), -100),
    ];
    for (name, about, amount) in table {
        let mut world = given([fund(ANNS, 100)]);
        let facts = world.submit(&statement(0, 0, &[(amount, about)]));
        let expected = vec![booked(amount, &[line("L0", amount, None)], &[amount]), opened(0, amount)];
        assert_eq!(facts, Ok(expected), "{name}");
        assert_eq!(open(&world, id), [(ACH_IN, 100)], "{name}");
    }
}

#[test]
fn open_item_is_cleared_only_once() {
    let id = funded();
    let again = (100, id.as_u128());
    let world = given([fund(ANNS, 100)]).when(statement(0, 0, &[again, again])).then([
        booked(200, &[line("L0", 100, Some((id, ACH_IN))), line("L1", 100, None)], &[100]),
        cleared(id, "L0", &[on_bank(100), on_rail_in(Rail::Ach, -100)]),
        opened(1, 100),
    ]);
    let Ok(facts) = world.later(DAY_MS).submit(&statement(1, 200, &[again])) else { panic!("books") };
    assert_eq!(facts.len(), 2, "suspense again");
}

#[test]
fn zero_line_clears_entry_and_its_return() {
    let create = between(1, PULLED, ANNS, 60);
    let world = given(way(&create).into_iter().chain([bounce(1, "R01").into()]));
    let on_return = Posting { account: LedgerAccount::ReturnOut, amount: 60 };
    let world = world.when(statement(0, 0, &[(0, 1)])).then([
        booked(0, &[Booked { met: Some(60), ..line("L0", 0, Some((create.id, ACH_IN))) }], &[]),
        cleared(create.id, "L0", &[on_rail_in(Rail::Ach, -60), on_return]),
    ]);
    assert_eq!(open(&world, create.id), []);
}

#[test]
fn zero_line_never_clears_two_legs() {
    let create = between(1, PULLED, BOBS_BANK, 60);
    let world = given(way(&create));
    let before = open(&world, create.id);
    assert_eq!(before, [(ACH_IN, 60), (ACH_OUT, -60)]);
    let world = world.when(statement(0, 0, &[(0, 1)])).accepted();
    assert_eq!(open(&world, create.id), before);
}

#[test]
fn entry_and_return_may_be_separate_lines() {
    let create = between(1, PULLED, ANNS, 60);
    let world = given(way(&create).into_iter().chain([bounce(1, "R01").into()]));
    let world = world.when(statement(0, 0, &[(60, 1), (-60, 1)])).accepted();
    assert_eq!(open(&world, create.id), []);
}

#[test]
fn line_booked_before_cut_survives_a_return() {
    let create = between(1, ANNS, WIRED, 60);
    let told = [statement(0, 0, &[(-60, 1)]), bounce(1, "R01").into()];
    let world = given([fund(ANNS, 100)].into_iter().chain(hasty(&create)).chain(told));
    // The money left the bank although no file was sent, so it will come back.
    assert_eq!(open(&world, create.id), [(LedgerAccount::RailOut(Rail::Wire), 60)]);
    let world = world.later(DAY_MS).when(statement(1, -60, &[(60, 1)])).accepted();
    assert_eq!(open(&world, create.id), []);
}

#[test]
fn zero_line_without_match_moves_nothing() {
    given([]).when(statement(0, 0, &[(0, 0)])).then([booked(0, &[line("L0", 0, None)], &[])]);
    // No entry met its return.
    let one_way = given([pull(1, 60), debit(1)]);
    one_way.when(statement(0, 0, &[(0, 1)])).then([booked(0, &[line("L0", 0, None)], &[])]);
}

#[test]
fn foreign_platform_or_currency_clears_nothing() {
    let income = income(ANNS, 100);
    let mut foreign = given([]);
    let mut elsewhere = given([]).submit(&income.clone().into()).expect("accepted");
    for fact in &mut elsewhere {
        if let Event::Transaction(transaction::Event::Created(created)) = &mut fact.event {
            created.platform = PlatformId::from_u128(2);
        }
    }
    foreign.record(&elsewhere);
    let about = (100, income.id.as_u128());
    let expected = [booked(100, &[line("L0", 100, None)], &[100]), opened(0, 100)];
    foreign.when(statement(0, 0, &[about])).then(expected);
    let euro = Currency::parse("EUR").expect("ISO 4217");
    let Command::BookStatement(dollars) = statement(0, 0, &[about]) else { panic!("a statement") };
    let euros = BookStatement { currency: euro, ..*dollars };
    let mut world = given([income.into()]);
    let facts = world.submit(&euros.into()).expect("books");
    assert_eq!(facts.len(), 2);
    let custody = world.custody(CUSTODY).expect("opened");
    assert_eq!((custody.balance(euro), custody.balance(usd(0).currency)), (100, 0));
}

#[test]
fn statement_continues_from_the_last_one() {
    let world = || given([advance_clock(9 * DAY_MS).into(), statement(3, 0, &[(5, 0)])]);
    for (day, opening, refusal) in
        [(3, 5, Refusal::Stated), (2, 5, Refusal::Stated), (4, 4, Refusal::Opening), (4, 0, Refusal::Opening)]
    {
        world().when(statement(day, opening, &[])).refused(refusal);
    }
    world().when(statement(10, 5, &[])).refused(Refusal::Future);
    // A bank does not issue a statement for every day.
    world().when(statement(9, 5, &[])).accepted();
}

#[test]
fn duplicate_line_ids_are_refused() {
    let Command::BookStatement(mut twice) = statement(0, 0, &[(1, 0), (2, 0)]) else { panic!("a statement") };
    twice.lines[1].id = twice.lines[0].id.clone();
    given([]).when(Command::BookStatement(twice)).refused(Refusal::LineTwice);
}

#[test]
fn statement_before_account_opening_is_refused() {
    given([]).when(statement(-1, 0, &[])).refused(Refusal::Stated);
}

#[test]
fn lines_must_sum_to_closing_balance() {
    let Command::BookStatement(fine) = statement(0, 0, &[(5, 0), (-3, 0)]) else { panic!("a statement") };
    given([]).when(BookStatement { closing: 3, ..*fine.clone() }).refused(Refusal::Sum);
    let huge = Line { id: "L2".into(), amount: i64::MIN, transaction: None };
    let lines = [fine.lines.clone(), vec![huge]].concat();
    given([]).when(BookStatement { lines, closing: i64::MIN + 2, ..*fine.clone() }).refused(Refusal::Sum);
    given([]).when(*fine).accepted();
}

#[test]
fn unknown_custody_account_is_refused() {
    let Command::BookStatement(fine) = statement(0, 0, &[]) else { panic!("a statement") };
    let custody = CustodyId::from_u128(404);
    given([]).when(BookStatement { custody, ..*fine }).refused(Refusal::Unknown);
}

#[test]
fn journal_entry_explains_a_suspense_amount() {
    let lines = [
        Posting { account: LedgerAccount::Suspense, amount: 5 },
        Posting { account: LedgerAccount::Node(ANNS), amount: -5 },
    ];
    let explained = Act::Journal { postings: postings(&lines), effective_at: None, clears: vec![] };
    let world = given([statement(0, 0, &[(5, 0)]), operate(80, explained).into()]);
    assert_eq!(world.account(ANNS, Currency::USD).posted, 5);
    assert_eq!(world.transaction(number(80)), None);
}

#[test]
fn exact_item_is_preferred_to_larger_one() {
    // The push was returned after the pull had left: 60 go out by wire, and 60 are refunded by ACH. A fee lies in
    // between.
    let create = Create { fees: vec![fee(FEES, 5)], ..between(1, PULLED, WIRED, 60) };
    let id = create.id;
    let mut world = given([create.into(), debit(1), cut_as(1, Direction::Pull, Rail::Ach, FILE), credit(1)]);
    for command in [cut_as(1, Direction::Push, Rail::Wire, FILE), settle(1)] {
        world = world.when(command).accepted();
    }
    let back = ReturnTransaction { leg: Some(Direction::Push), ..bounce(1, "R01") };
    let world = world.when(back).accepted().when(cut_as(1, Direction::Refund, Rail::Ach, FILE)).accepted();
    let lines = [60, -55, 55, -60].map(|amount| (amount, id.as_u128()));
    assert_eq!(open(&world.when(statement(0, 0, &lines)).accepted(), id), []);
}
