//! What may happen in a random history: every kind of command, sensible ones and others, repetitions, and time.

use std::ops::Range;

use proptest::prelude::*;

use crate::money::MAX_MINOR;
use crate::node::NodeKind;
use crate::testing::fixture::{
    ANN, ANNS, ASLEEP, BOB, BOBS, CAT, CATS, DAN, DANS, FEES, GATED, HOUSE, OUTSIDE, RESERVE, TIPS, fee,
    income, owner, payment, step, transaction as number, usd, verify,
};
use crate::transaction::advance::Step;
use crate::transaction::comment::Comment;
use crate::transaction::create::Create;
use crate::transaction::receive::Receive;
use crate::user::SubDocumentStatus;
use crate::{Command, NodeId, UserId};

/// Every node of the bank.
pub(super) const NODES: [NodeId; 11] =
    [RESERVE, HOUSE, FEES, TIPS, ANNS, BOBS, CATS, DANS, OUTSIDE, GATED, ASLEEP];

/// The numbers of payments: few, so that steps and repetitions find them.
const PAYMENTS: Range<u128> = 0..15;

/// Something that happens in a history: a command, or time that passes.
#[derive(Clone, Debug)]
pub(super) enum Deed {
    /// A command.
    Submit(Command),
    /// The step that comes next for some payment.
    Next(u128),
    /// The command that was submitted so many before this one, once more.
    Repeat(usize),
    /// So many milliseconds pass.
    Pass(i64),
}

/// Mostly small, so that amounts meet; sometimes up to the limits; rarely none at all.
fn amount() -> impl Strategy<Value = i64> {
    prop_oneof![
        30 => 1..=100_i64,
        4 => 1..=MAX_MINOR,
        2 => Just(MAX_MINOR),
        1 => -100..=0_i64,
        1 => prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(MAX_MINOR + 1)],
    ]
}

/// Mostly one of the two people who may do everything.
fn any_node() -> impl Strategy<Value = NodeId> {
    prop_oneof![8 => prop::sample::select(vec![ANNS, BOBS]), 3 => prop::sample::select(NODES.to_vec())]
}

fn kind(id: NodeId) -> NodeKind {
    match id {
        RESERVE => NodeKind::ReserveUs,
        FEES | TIPS => NodeKind::LedgerUs,
        OUTSIDE => NodeKind::AchUs,
        _ => NodeKind::DepositUs,
    }
}

fn income_of_any() -> impl Strategy<Value = Command> {
    (0..30_u128, any_node(), prop_oneof![1..=1_000_i64, amount()]).prop_map(|(id, to, minor)| {
        Command::from(Receive { id: number(1_000 + id), amount: usd(minor), ..income(to, 0) })
    })
}

fn any_payment() -> impl Strategy<Value = Command> {
    let fees =
        prop::collection::vec((prop::sample::select(vec![FEES, FEES, TIPS, TIPS, HOUSE]), 1..=30_i64), 0..3);
    let odd_fees = prop::collection::vec((prop::sample::select(vec![FEES, TIPS]), amount()), 0..3);
    let fees = prop_oneof![4 => fees, 1 => odd_fees];
    let days = prop_oneof![6 => Just(0_u16), 1 => 1..3_u16];
    (PAYMENTS, any_node(), any_node(), amount(), fees, days, any::<bool>()).prop_map(
        |(id, from, to, minor, fees, in_days, by_gateway)| {
            let fees = fees.into_iter().map(|(to, minor)| fee(to, minor)).collect();
            let by = owner(from);
            Create { by, from, to, to_kind: kind(to), fees, in_days, by_gateway, ..payment(id, minor) }.into()
        },
    )
}

fn any_step() -> impl Strategy<Value = Command> {
    (PAYMENTS, prop::sample::select(vec![Step::Debit, Step::Credit, Step::Settle]))
        .prop_map(|(id, next)| step(id, next))
}

fn any_comment() -> impl Strategy<Value = Command> {
    (PAYMENTS, any_node()).prop_map(|(id, node)| {
        let Create { id, platform, details: comment, .. } = payment(id, 1);
        Comment { id, platform, by: owner(node), node, comment }.into()
    })
}

fn any_finding() -> impl Strategy<Value = Command> {
    let found = prop::sample::select(vec![SubDocumentStatus::Valid, SubDocumentStatus::Invalid]);
    (prop::sample::select(vec![ANN, BOB, CAT, DAN, UserId::from_u128(404)]), found)
        .prop_map(|(user, status)| verify(user, status).into())
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => income_of_any().prop_map(Deed::Submit),
        6 => any_payment().prop_map(Deed::Submit),
        12 => PAYMENTS.prop_map(Deed::Next),
        3 => any_step().prop_map(Deed::Submit),
        1 => any_comment().prop_map(Deed::Submit),
        1 => any_finding().prop_map(Deed::Submit),
        2 => (0..20_usize).prop_map(Deed::Repeat),
        1 => (0..100_000_000_i64).prop_map(Deed::Pass),
    ]
}

/// Up to 150 deeds.
pub(super) fn history() -> impl Strategy<Value = Vec<Deed>> {
    prop::collection::vec(deed(), 1..150)
}
