//! Generators of random histories: every kind of command, valid and invalid, repetitions, and time that passes.

use std::ops::Range;

use proptest::prelude::*;
use proptest::sample::select;

use super::evidence::any_evidence;
use super::nodes::any_deed_of_an_owner;
use super::operations::{any_operation, any_review};
use super::people::{any_finding, any_paper, any_update};
use super::places::any_place;
use super::roles::any_roles;
use crate::money::MAX_MINOR;
use crate::posting::Rail;
use crate::testing::fixture::{
    ANNS, ASLEEP, BOBS, BOBS_BANK, CAT, CATS, DAN, DANS, FEES, GATED, HOUSE, OLGA, OTTO, OUTSIDE, PAYEE,
    PULLED, PURSE, RESERVE, SHOP, TILL, TIPS, WIRED, advance_clock, between, bounce, cancel, fee, income,
    look_again, owner, payment, queue, release, simulate, step, transaction as number,
};
use crate::transaction::advance::Step;
use crate::transaction::comment::Comment;
use crate::transaction::create::Create;
use crate::transaction::external_transfer::{ExternalTransfer, TransferDirection};
use crate::transaction::returns::ReturnTransaction;
use crate::transaction::{Direction, QueueReason};
use crate::{Command, Currency, Money, NodeId, OperatorId, UserId};

/// Every node of the bank.
pub(super) const NODES: [NodeId; 18] = [
    RESERVE, HOUSE, FEES, TIPS, ANNS, BOBS, CATS, DANS, OUTSIDE, GATED, ASLEEP, PULLED, BOBS_BANK, WIRED,
    PAYEE, SHOP, TILL, PURSE,
];

/// Numbers of payments: few, so that steps and repetitions meet them.
pub(super) const PAYMENTS: Range<u128> = 0..15;

/// A step of a history: a command, or time that passes.
#[derive(Clone, Debug)]
pub(super) enum Deed {
    /// A command.
    Submit(Command),
    /// The next step of a process for one of the transactions that wait for one.
    Next(usize),
    /// A return of one of the transactions that can come back.
    Bounce(usize, Option<Direction>, &'static str),
    /// A withdrawal of one of the legs that are in a file.
    Withdraw(usize),
    /// An operator's review of one of the waiting operations.
    Review(usize, OperatorId, bool),
    /// A change that keeps a fee of a transaction under way from reaching its node.
    Hinder(usize),
    /// The erasure of a user with all of its accounts and transactions.
    Erase(UserId),
    /// A cut of everything that a rail has to send; the file goes to the bank.
    Cut(Rail),
    /// The bank's statement of a day.
    State(Stated),
    /// A match of one of the lines in suspense; true to post to a node what no item explains.
    Match(usize, bool),
    /// A run of the matching rules.
    MatchByRules,
    /// The end of one of the matches.
    Unmatch(usize),
    /// A journal entry that clears one of the open items.
    WriteOff(usize),
    /// A repetition of the command that was submitted this many commands before.
    Repeat(usize),
    /// This many milliseconds pass.
    Pass(i64),
}

/// Contents of a statement.
#[derive(Clone, Debug)]
pub(super) struct Stated {
    /// Lines about open items: the number of the item, and the part of it that the line covers.
    pub about: Vec<(usize, Part)>,
    /// Amounts of lines without an open item.
    pub strays: Vec<i64>,
    /// The mistake of the statement as a whole, if any.
    pub mistake: Option<Mistake>,
    /// True if the statement is in a file: it is accepted first, and its lines are booked in two parts.
    pub in_file: bool,
    /// True if the file states the newest day of a file anew.
    pub is_anew: bool,
}

/// Part of an open item that a line of a statement covers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// The whole amount.
    Whole,
    /// Half of the amount.
    Half,
    /// Twice the amount.
    Twice,
    /// The amount with the opposite sign.
    Opposite,
    /// Zero: the item met its return.
    Met,
}

/// Mistakes of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mistake {
    /// The opening balance is not the last closing balance.
    Opening,
    /// The lines do not sum to the closing balance.
    Sum,
    /// A statement of this day is booked already.
    Day,
}

/// Amounts: mostly small, so that they meet; sometimes up to the limits; rarely invalid.
fn amount() -> impl Strategy<Value = i64> {
    prop_oneof![
        30 => 1..=100_i64,
        4 => 1..=MAX_MINOR,
        2 => Just(MAX_MINOR),
        1 => -100..=0_i64,
        1 => prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(MAX_MINOR + 1)],
    ]
}

/// Amounts of money, mostly in US dollars.
fn money(minor: impl Strategy<Value = i64>) -> impl Strategy<Value = Money> {
    let euro = Currency::parse("EUR").expect("ISO 4217");
    (minor, prop_oneof![9 => Just(Currency::USD), 1 => Just(euro)])
        .prop_map(|(minor, currency)| Money::new(minor, currency))
}

/// Nodes: mostly those of the two users with full permission, and their external accounts.
pub(super) fn any_node() -> impl Strategy<Value = NodeId> {
    prop_oneof![
        8 => select(vec![ANNS, BOBS]),
        6 => select(vec![PULLED, PULLED, BOBS_BANK, WIRED, PAYEE]),
        3 => select(NODES.to_vec()),
    ]
}

fn crossing() -> impl Strategy<Value = Command> {
    let direction = prop_oneof![3 => Just(TransferDirection::In), 1 => Just(TransferDirection::Out)];
    let amount = money(prop_oneof![1..=1_000_i64, amount()]);
    (0..30_u128, any_node(), direction, amount, select(Rail::ALL.to_vec()), any::<bool>()).prop_map(
        |(id, to, direction, amount, rail, by_gateway)| {
            ExternalTransfer { id: number(1_000 + id), direction, amount, rail, by_gateway, ..income(to, 0) }
                .into()
        },
    )
}

fn any_payment() -> impl Strategy<Value = Command> {
    let takers =
        || prop_oneof![12 => select(vec![FEES, TIPS, SHOP, SHOP, TILL]), 1 => select(vec![PURSE, HOUSE])];
    let fees = prop::collection::vec((takers(), 1..=30_i64), 0..3);
    let odd_fees = prop::collection::vec((select(vec![FEES, TIPS, SHOP]), amount()), 0..3);
    let fees = prop_oneof![4 => fees, 1 => odd_fees];
    let days = prop_oneof![6 => Just(0_u16), 1 => 1..3_u16];
    let papers = prop_oneof![9 => Just(vec![]), 1 => prop::collection::vec(any_paper(), 1..3)];
    (PAYMENTS, any_node(), any_node(), money(amount()), fees, days, any::<bool>(), papers).prop_map(
        |(id, from, to, amount, fees, in_days, by_gateway, attachments)| {
            let fees = fees.into_iter().map(|(to, minor)| fee(to, minor)).collect();
            Create { amount, fees, in_days, by_gateway, attachments, ..between(id, from, to, 1) }.into()
        },
    )
}

fn any_step() -> impl Strategy<Value = Command> {
    (PAYMENTS, select(vec![Step::Debit, Step::Credit, Step::Settle]), any::<bool>())
        .prop_map(|(id, next, simulated)| if simulated { simulate(id, next) } else { step(id, next) })
}

fn any_comment() -> impl Strategy<Value = Command> {
    (PAYMENTS, any_node()).prop_map(|(id, node)| {
        let Create { id, platform, details: comment, .. } = payment(id, 1);
        Comment { id, platform, by: owner(node), node, comment }.into()
    })
}

fn any_return() -> impl Strategy<Value = Command> {
    let leg = select(vec![None, Some(Direction::Pull), Some(Direction::Push)]);
    let id = prop_oneof![4 => PAYMENTS, 1 => 1_000..1_030_u128];
    (id, leg, select(vec!["R01", "R10"]))
        .prop_map(|(id, leg, code)| ReturnTransaction { leg, ..bounce(id, code) }.into())
}

fn any_bounce() -> impl Strategy<Value = Deed> {
    let leg = select(vec![None, Some(Direction::Pull), Some(Direction::Push)]);
    (any::<usize>(), leg, select(vec!["R01", "R10"]))
        .prop_map(|(which, leg, code)| Deed::Bounce(which, leg, code))
}

pub(super) fn any_reason() -> impl Strategy<Value = QueueReason> {
    select(vec![QueueReason::Risk, QueueReason::SenderNotAuthorised, QueueReason::SenderPermission])
}

/// A transaction is queued, released, screened again or canceled.
fn any_hindrance() -> impl Strategy<Value = Command> {
    prop_oneof![
        2 => (PAYMENTS, any_reason()).prop_map(|(id, reason)| queue(id, reason).into()),
        2 => PAYMENTS.prop_map(|id| release(id).into()),
        2 => PAYMENTS.prop_map(|id| look_again(id).into()),
        2 => PAYMENTS.prop_map(|id| cancel(id).into()),
    ]
}

fn any_waiting_review() -> impl Strategy<Value = Deed> {
    (any::<usize>(), select(vec![OLGA, OTTO, OTTO]), select(vec![true, true, true, false]))
        .prop_map(|(which, by, approves)| Deed::Review(which, by, approves))
}

fn any_statement() -> impl Strategy<Value = Stated> {
    let part = prop_oneof![
        6 => Just(Part::Whole),
        1 => Just(Part::Half),
        1 => Just(Part::Twice),
        1 => Just(Part::Opposite),
        1 => Just(Part::Met),
    ];
    let mistake = prop_oneof![
        9 => Just(None),
        1 => select(vec![Mistake::Opening, Mistake::Sum, Mistake::Day]).prop_map(Some),
    ];
    let strays = prop_oneof![3 => Just(vec![]), 1 => prop::collection::vec(-100..100_i64, 1..3)];
    (prop::collection::vec((any::<usize>(), part), 0..8), strays, mistake, any::<[bool; 2]>()).prop_map(
        |(about, strays, mistake, [in_file, is_anew])| Stated { about, strays, mistake, in_file, is_anew },
    )
}

fn deed() -> impl Strategy<Value = Deed> {
    let clock = (0..300_000_000_i64).prop_map(|ms| advance_clock(ms).into());
    prop_oneof![
        3 => crossing().prop_map(Deed::Submit),
        9 => any_payment().prop_map(Deed::Submit),
        14 => any::<usize>().prop_map(Deed::Next),
        3 => any_step().prop_map(Deed::Submit),
        1 => any_return().prop_map(Deed::Submit),
        2 => any_bounce(),
        1 => any::<usize>().prop_map(Deed::Withdraw),
        5 => any_hindrance().prop_map(Deed::Submit),
        3 => any_operation().prop_map(Deed::Submit),
        1 => any_review().prop_map(Deed::Submit),
        2 => any_waiting_review(),
        2 => any_statement().prop_map(Deed::State),
        2 => select(Rail::ALL.to_vec()).prop_map(Deed::Cut),
        2 => any::<(usize, bool)>().prop_map(|(which, posts_rest)| Deed::Match(which, posts_rest)),
        1 => Just(Deed::MatchByRules),
        1 => any::<usize>().prop_map(Deed::Unmatch),
        1 => any::<usize>().prop_map(Deed::WriteOff),
        1 => any_comment().prop_map(Deed::Submit),
        3 => any_deed_of_an_owner().prop_map(Deed::Submit),
        2 => any_finding().prop_map(Deed::Submit),
        1 => any_update().prop_map(Deed::Submit),
        1 => any::<usize>().prop_map(Deed::Hinder),
        1 => select(vec![CAT, DAN, DAN]).prop_map(Deed::Erase),
        2 => any_place().prop_map(Deed::Submit),
        2 => (0..20_usize).prop_map(Deed::Repeat),
        1 => (0..100_000_000_i64).prop_map(Deed::Pass),
        1 => clock.prop_map(Deed::Submit),
        1 => any_evidence().prop_map(Deed::Submit),
        1 => any_roles().prop_map(Deed::Submit),
    ]
}

/// A history of 1 to 149 deeds.
pub(super) fn history() -> impl Strategy<Value = Vec<Deed>> {
    prop::collection::vec(deed(), 1..150)
}
