use std::sync::Arc;

use super::*;
use crate::aggregate::Key;
use crate::custody::Custody;
use crate::platform::Policy;
use crate::state::State;
use crate::testing::fixture::{
    ANNS, BOBS_BANK, CUSTODY, FILE, MICRO_DEPOSITS, PULLED, WIRED, between, bounce, cancel, created, credit,
    cut, cut_as, debit, fund, happened, pay_out, pull, set_policy, simulate, transaction, way,
};
use crate::testing::{World, given};
use crate::transaction::advance::Step;
use crate::transaction::returns::ReturnTransaction;

const OTHER: FileId = FileId::from_u128(51);

fn file(number: u64, items: &[(u128, Direction, i64, u32)]) -> NewEvent {
    let items = items.iter().map(|&(number, direction, amount, trace)| Item {
        transaction: transaction(number),
        direction,
        amount,
        trace,
    });
    let authorizations = Some(Authorizations::Internet);
    let items = items.collect();
    NewEvent::new(
        CUSTODY,
        FileCut { file: FILE, rail: Rail::Ach, number, items, cut_off: None, authorizations },
    )
}

fn submitted(number: u128, direction: Direction, trace: u32) -> NewEvent {
    happened(number, Submitted { file: FILE, rail: Rail::Ach, direction, trace })
}

/// Command to cut these legs for ACH, in this order.
fn cut_all(numbers: &[u128], direction: Direction) -> CutFile {
    let items = numbers.iter().map(|number| (transaction(*number), direction)).collect();
    CutFile { custody: CUSTODY, file: FILE, rail: Rail::Ach, items, cut_off: None }
}

/// A world in which Ann pays 10 to Bob's bank for each of these numbers; all payments are credited.
fn pushes(numbers: std::ops::RangeInclusive<u128>) -> World {
    given(
        [fund(ANNS, 100)]
            .into_iter()
            .chain(numbers.flat_map(|number| [pay_out(number, 10), debit(number), credit(number)])),
    )
}

#[test]
fn entries_keep_requested_order_and_are_numbered() {
    let world = pushes(1..=2).when(cut_all(&[2, 1], Direction::Push)).then([
        file(0, &[(2, Direction::Push, 10, 1), (1, Direction::Push, 10, 2)]),
        submitted(2, Direction::Push, 1),
        submitted(1, Direction::Push, 2),
    ]);
    // The next file continues the numbering.
    let next = world.when(fund(ANNS, 50)).accepted();
    let next = [pay_out(3, 10), debit(3), credit(3)]
        .into_iter()
        .fold(next, |it, command| it.when(command).accepted());
    next.when(cut_all(&[3], Direction::Push))
        .then([file(1, &[(3, Direction::Push, 10, 3)]), submitted(3, Direction::Push, 3)]);
}

#[test]
fn pull_carries_amount_and_push_carries_net() {
    use crate::testing::fixture::{FEES, fee};
    use crate::transaction::create::Create;
    let create = Create { fees: vec![fee(FEES, 7)], ..between(1, PULLED, BOBS_BANK, 60) };
    let world = given([create.into(), debit(1)]);
    let world = world
        .when(cut_all(&[1], Direction::Pull))
        .then([file(0, &[(1, Direction::Pull, 60, 1)]), submitted(1, Direction::Pull, 1)]);
    world
        .when(credit(1))
        .accepted()
        .when(cut_all(&[1], Direction::Push))
        .then([file(1, &[(1, Direction::Push, 53, 2)]), submitted(1, Direction::Push, 2)]);
}

#[test]
fn items_no_longer_due_are_left_out() {
    let world = pushes(1..=3);
    let world = world.when(ReturnTransaction { id: transaction(2), ..bounce(2, "R01") }).accepted();
    world.when(cut_all(&[1, 1, 2, 404, 3], Direction::Push)).then([
        file(0, &[(1, Direction::Push, 10, 1), (3, Direction::Push, 10, 2)]),
        submitted(1, Direction::Push, 1),
        submitted(3, Direction::Push, 2),
    ]);
}

#[test]
fn cut_without_due_entries_makes_no_file() {
    let taken = given([fund(ANNS, 100), pay_out(1, 60), debit(1)]);
    let canceled = taken.clone().when(cancel(1)).accepted();
    let gone = pushes(1..=1).when(cut(1)).accepted();
    let wire = between(1, ANNS, WIRED, 60).into();
    let by_wire = given([fund(ANNS, 100), wire, debit(1), credit(1)]);
    let table = [
        ("not yet credited", taken, Direction::Push),
        ("canceled", canceled, Direction::Push),
        ("gone already", gone, Direction::Push),
        ("goes over another rail", by_wire, Direction::Push),
        ("another leg", pushes(1..=1), Direction::Pull),
        ("waits for its debit", given([pull(1, 60)]), Direction::Pull),
    ];
    for (name, mut world, direction) in table {
        assert_eq!(world.submit(&cut_all(&[1], direction).into()), Ok(vec![]), "{name}");
    }
    given([]).when(cut_all(&[], Direction::Push)).then([]);
}

#[test]
fn pull_is_cut_before_the_push() {
    let both = between(1, PULLED, BOBS_BANK, 60).into();
    let world = given([both, simulate(1, Step::Debit), simulate(1, Step::Credit)]);
    let world = world.when(cut_all(&[1], Direction::Push)).then([]);
    let world = world.when(cut_all(&[1], Direction::Pull)).accepted();
    world.when(cut_as(1, Direction::Push, Rail::Ach, OTHER)).accepted();
}

#[test]
fn refund_is_submitted_once() {
    let create = between(1, PULLED, WIRED, 60);
    let back = ReturnTransaction { leg: Some(Direction::Push), ..bounce(1, "R01") };
    let world = given(way(&create).into_iter().chain([back.into()]));
    let world = world
        .when(cut_all(&[1], Direction::Refund))
        .then([file(2, &[(1, Direction::Refund, 60, 3)]), submitted(1, Direction::Refund, 3)]);
    world.when(cut_all(&[1], Direction::Refund)).then([]);
}

#[test]
fn micro_deposits_are_cut_into_files() {
    let [first, second] = MICRO_DEPOSITS;
    let items = vec![(first, Direction::Push), (second, Direction::Push)];
    let facts = given([]).submit(&CutFile { items, ..cut_all(&[], Direction::Push) }.into());
    assert_eq!(facts.map(|facts| facts.len()), Ok(3));
}

/// A world with another state of the account at the bank.
struct Instead<'a>(&'a World, State);

impl States for Instead<'_> {
    fn state(&self, key: Key) -> Option<&State> {
        if key == CUSTODY.into() { Some(&self.1) } else { self.0.state(key) }
    }
}

#[test]
fn trace_numbers_restart_in_a_new_file() {
    let world = pushes(1..=3);
    let custody = world.custody(CUSTODY).expect("opened").clone();
    let nearly = |traces| Instead(&world, State::Custody(Arc::new(Custody { traces, ..custody.clone() })));
    let cut = cut_all(&[1, 2, 3], Direction::Push);
    let last = [
        file(0, &[(1, Direction::Push, 10, 9_999_998), (2, Direction::Push, 10, 9_999_999)]),
        submitted(1, Direction::Push, 9_999_998),
        submitted(2, Direction::Push, 9_999_999),
    ];
    assert_eq!(cut.decide(&nearly(9_999_997), Timestamp::default()), Ok(last.to_vec()));
    let facts = cut.decide(&nearly(9_999_999), Timestamp::default()).expect("there is something");
    assert_eq!(facts[1], submitted(1, Direction::Push, 1));
    assert_eq!(facts.len(), 4);
}

/// A world with credited transfers to Bob's bank, one for each of `amounts`.
fn credited(amounts: &[i64]) -> World {
    let mut world = given([fund(ANNS, 900_000_000_000), fund(ANNS, 900_000_000_001)]);
    for (number, minor) in (1..).zip(amounts) {
        // Recorded directly: the command would refuse the amounts above the limit, but transactions older than the
        // limit may have them.
        world.record(&[created(&between(number, ANNS, BOBS_BANK, *minor), 0)]);
        for command in [debit(number), credit(number)] {
            world = world.when(command).accepted();
        }
    }
    world
}

#[test]
fn full_total_starts_another_file() {
    let numbers: Vec<u128> = (1..=102).collect();
    let mut world = credited(&[9_999_999_999; 102]);
    let mut files = vec![];
    for file in 0..3 {
        let cut = CutFile { file: FileId::from_u128(60 + file), ..cut_all(&numbers, Direction::Push) };
        let facts = world.submit(&cut.into()).expect("decided");
        world.record(&facts);
        files.push(facts.len());
    }
    assert_eq!(files, [101, 3, 0], "a file, and what is submitted with it");
}

#[test]
fn oversized_entry_does_not_block_others() {
    let mut world = credited(&[1_000_000_000_000, 7]);
    let facts = world.submit(&cut_all(&[1, 2], Direction::Push).into()).expect("decided");
    assert_eq!(facts.len(), 3, "the first is left out when the file is made");
}

#[test]
fn files_keep_the_policy_of_their_cut() {
    let of = |facts: Result<Vec<NewEvent>, crate::Refusal>| {
        let event = facts.expect("decided").swap_remove(0).event;
        let crate::Event::Custody(crate::custody::Event::FileCut(cut)) = event else {
            panic!("a file is cut first")
        };
        cut.authorizations
    };
    let mut world = pushes(1..=1);
    assert_eq!(of(world.clone().submit(&cut(1))), Some(Authorizations::Internet));
    let written = Policy { written_authorizations: true, ..Policy::default() };
    world.submit(&set_policy(80, written)).expect("set");
    assert_eq!(of(world.submit(&cut(1))), Some(Authorizations::Written));
    let wire = between(1, ANNS, WIRED, 60).into();
    let mut world = given([fund(ANNS, 100), wire, debit(1), credit(1)]);
    assert_eq!(of(world.submit(&cut_as(1, Direction::Push, Rail::Wire, OTHER))), None);
}

#[test]
fn file_is_handed_over_once() {
    let send = || crate::Command::from(SendFile { custody: CUSTODY, file: FILE, as_of: 9 });
    let world = pushes(1..=1).when(cut(1)).accepted();
    assert_eq!(world.custody(CUSTODY).map(|custody| custody.unsent.clone()), Some(vec![FILE]));
    let world = world.when(send()).then([NewEvent::new(CUSTODY, FileSent { file: FILE, as_of: Some(9) })]);
    assert_eq!(world.custody(CUSTODY).map(|custody| custody.unsent.len()), Some(0));
    world.when(send()).then([]);
    given([]).when(send()).then([]);
}

#[test]
fn unknown_custody_account_is_refused() {
    let custody = CustodyId::from_u128(404);
    given([]).when(CutFile { custody, ..cut_all(&[], Direction::Push) }).refused(Refusal::Unknown);
    given([]).when(SendFile { custody, file: FILE, as_of: 9 }).refused(Refusal::Unknown);
}
