use super::*;
use crate::account::{Account, Shortfall};
use crate::money::Money;
use crate::operation::Act;
use crate::testing::fixture::{
    ANNS, BOBS, FEES, PLATFORM, RESERVE, bounce, cancel, credit, debit, fund, income, look_again, operate,
    pay, payment, set_policy, settle, transaction, usd, withdrawal,
};
use crate::testing::{World, given};
use crate::time::DAY_MS;
use crate::transaction::create::Create;
use crate::transaction::external_transfer::ExternalTransfer;
use crate::transaction::{self, QueueReason, Status};
use crate::{Command, platform};

fn with(limits: Limits) -> Command {
    set_policy(90, Policy { limits: [(Currency::USD, limits)].into(), ..Policy::default() })
}

fn own(number: u128, node: NodeId, limits: Limits) -> Command {
    operate(number, Act::SetLimits { node, limits: [(Currency::USD, limits)].into() }).into()
}

fn floor(minor: i64) -> Limits {
    Limits { floor: Some(minor), ..Limits::default() }
}

fn daily_out(minor: i64) -> Limits {
    Limits { daily_out: Some(minor), ..Limits::default() }
}

fn daily_in(minor: i64) -> Limits {
    Limits { daily_in: Some(minor), ..Limits::default() }
}

fn held(world: &World, number: u128) -> i64 {
    world.transaction(transaction(number)).map_or(0, |it| it.hold)
}

fn is_queued(world: &World, number: u128) -> bool {
    let transaction = world.transaction(transaction(number)).expect("created");
    assert!(transaction.queue.iter().all(|reason| *reason == QueueReason::DailyLimit));
    transaction.status == Status::Queued
}

#[test]
fn own_limits_override_platform_limits() {
    let limits_of = |world: &World, node| limits(world, PLATFORM, node, Currency::USD);
    assert_eq!(limits_of(&given([]), ANNS), Limits::default());
    assert_eq!(limits_of(&given([]), RESERVE), floor(RESERVE_FLOOR));
    let world = given([with(Limits { daily_in: Some(7), ..floor(-5) })]);
    assert_eq!(limits_of(&world, ANNS), Limits { daily_in: Some(7), ..floor(-5) });
    // The platform's floor concerns its customers, not the reserve.
    assert_eq!(limits_of(&world, RESERVE), Limits { daily_in: Some(7), ..floor(RESERVE_FLOOR) });
    let world = world.when(own(91, ANNS, floor(-9))).accepted().when(own(92, RESERVE, floor(0))).accepted();
    assert_eq!(limits_of(&world, ANNS), Limits { daily_in: Some(7), ..floor(-9) });
    assert_eq!(limits_of(&world, RESERVE), Limits { daily_in: Some(7), ..floor(0) });
    let euro = Currency::parse("EUR").expect("ISO 4217");
    assert_eq!(limits(&world, PLATFORM, ANNS, euro), Limits::default());
}

#[test]
fn negative_floor_is_a_credit_limit() {
    let world = given([with(floor(-50))]);
    assert_eq!(held(&world.clone().when(pay(1, 50)).accepted(), 1), 50);
    assert_eq!(held(&world.clone().when(pay(1, 51)).accepted(), 1), 0);
    let way = [pay(1, 50), debit(1), credit(1), settle(1)];
    let world = way.into_iter().fold(world, |world, command| world.when(command).accepted());
    let Account { posted, .. } = world.account(ANNS, Currency::USD);
    assert_eq!((posted, world.account(BOBS, Currency::USD).posted), (-50, 50));
}

#[test]
fn positive_floor_is_a_minimum_balance() {
    let world = given([fund(ANNS, 100), with(floor(20))]);
    assert_eq!(held(&world.clone().when(pay(1, 80)).accepted(), 1), 80);
    assert_eq!(held(&world.clone().when(pay(1, 81)).accepted(), 1), 0);
    let needed = Shortfall { needed: 81, available: 100, held: 0 };
    let refusal =
        transaction::Refusal::InsufficientBalance { shortfall: needed, node: ANNS, currency: Currency::USD };
    world.when(withdrawal(ANNS, 81)).refused(refusal);
}

#[test]
fn raised_floor_keeps_existing_holds() {
    let world = given([fund(ANNS, 100), pay(1, 60), with(floor(50)), debit(1), credit(1), settle(1)]);
    assert_eq!(world.account(ANNS, Currency::USD).posted, 40);
}

#[test]
fn daily_out_limit_includes_holds() {
    let world = given([fund(ANNS, 500), with(daily_out(100)), pay(1, 60)]);
    assert!(!is_queued(&world.clone().when(pay(2, 40)).accepted(), 2));
    assert!(is_queued(&world.clone().when(pay(2, 41)).accepted(), 2));
    // The amount counts the same, held or taken.
    assert!(is_queued(&world.clone().when(debit(1)).accepted().when(pay(2, 41)).accepted(), 2));
    // A hold that is taken does not count twice.
    let world = world.when(pay(2, 40)).accepted().when(debit(2)).accepted().when(debit(1)).accepted();
    assert_eq!(world.account(ANNS, Currency::USD).today(world.now()), (500, 100));
    let tomorrow = world.later(DAY_MS);
    assert!(!is_queued(&tomorrow.when(pay(3, 100)).accepted(), 3));
}

#[test]
fn holds_do_not_block_each_other() {
    let world = given([fund(ANNS, 500), with(daily_out(100)), pay(1, 60), pay(2, 41)]);
    assert!(is_queued(&world, 2));
    let world = world.when(debit(1)).accepted();
    assert!(!is_queued(&world, 1));
    let world = world.when(look_again(2)).accepted();
    assert!(is_queued(&world, 2));
    let world = world.later(DAY_MS).when(look_again(2)).accepted().when(debit(2)).accepted();
    assert_eq!(world.transaction(transaction(2)).map(|it| it.status), Some(Status::ProcessingDebit));
}

#[test]
fn cancel_frees_daily_limit_return_does_not() {
    let world = given([fund(ANNS, 500), with(daily_out(100)), pay(1, 60)]);
    let canceled = world.clone().when(cancel(1)).accepted();
    assert!(!is_queued(&canceled.when(pay(2, 100)).accepted(), 2));
    let returned = world.when(debit(1)).accepted().when(bounce(1, "R01")).accepted();
    assert!(is_queued(&returned.when(pay(2, 41)).accepted(), 2));
}

#[test]
fn daily_in_limit_includes_pending_amounts() {
    let limits = own(90, BOBS, daily_in(100));
    let world = given([fund(ANNS, 500), limits, pay(1, 60), debit(1), credit(1)]);
    assert!(!is_queued(&world.clone().when(pay(2, 40)).accepted(), 2));
    assert!(is_queued(&world.clone().when(pay(2, 41)).accepted(), 2));
    let settled = world.when(settle(1)).accepted();
    assert!(is_queued(&settled.clone().when(pay(2, 41)).accepted(), 2));
    // The limit is gross: outgoing money makes no room.
    let emptied = settled.when(withdrawal(BOBS, 60)).accepted();
    assert!(is_queued(&emptied.clone().when(pay(2, 41)).accepted(), 2));
    assert!(!is_queued(&emptied.later(DAY_MS).when(pay(2, 100)).accepted(), 2));
}

#[test]
fn fees_do_not_count_for_the_receiver() {
    let create = Create { fees: vec![crate::testing::fixture::fee(FEES, 10)], ..payment(1, 60) };
    let world = given([fund(ANNS, 500), own(90, BOBS, daily_in(50))]);
    assert!(!is_queued(&world.when(create).accepted(), 1));
}

#[test]
fn daily_limit_is_checked_again_at_debit() {
    let world = given([fund(ANNS, 500), pay(1, 60), own(90, BOBS, daily_in(100)), fund(BOBS, 50), debit(1)]);
    assert!(is_queued(&world, 1));
    let world = world.later(DAY_MS).when(look_again(1)).accepted().when(debit(1)).accepted();
    assert_eq!(world.transaction(transaction(1)).map(|it| it.status), Some(Status::ProcessingDebit));
}

#[test]
fn external_income_ignores_the_daily_limit() {
    given([with(daily_in(10))]).when(fund(ANNS, 100)).accepted();
}

#[test]
fn strict_policy_refuses_unfunded_payments() {
    let strict = set_policy(90, Policy { reject_unfunded: true, ..Policy::default() });
    let world = given([fund(ANNS, 100), strict, pay(1, 60)]);
    let shortfall = Shortfall { needed: 41, available: 40, held: 60 };
    let refusal =
        transaction::Refusal::InsufficientBalance { shortfall, node: ANNS, currency: Currency::USD };
    world.clone().when(pay(2, 41)).refused(refusal);
    world.clone().when(pay(2, 40)).accepted();
    // A payment that is not due today is not checked today.
    world.when(Create { in_days: 1, ..payment(2, 41) }).accepted();
}

#[test]
fn other_currencies_move_only_if_enabled() {
    let euro = Currency::parse("EUR").expect("ISO 4217");
    let amount = Money::new(60, euro);
    let pay = Create { amount, ..payment(1, 60) };
    let income = ExternalTransfer { amount, ..income(ANNS, 60) };
    given([]).when(pay.clone()).refused(platform::Refusal::CurrencyDisabled);
    given([]).when(income.clone()).refused(platform::Refusal::CurrencyDisabled);
    let enabled = set_policy(90, Policy { currencies: [euro].into(), ..Policy::default() });
    let world = given([enabled, income.into()]).when(pay).accepted();
    assert_eq!((world.account(ANNS, euro).held, world.account(ANNS, usd(0).currency).posted), (60, 0));
    assert!(Policy::default().enables(Currency::USD));
}
