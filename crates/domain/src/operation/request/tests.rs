use super::*;
use crate::money::Currency;
use crate::node;
use crate::operation::{ActKind, Status};
use crate::platform::Policy;
use crate::testing::fixture::{
    ANNS, BOB, BOBS, FEES, OLGA, OUTSIDE, PLATFORM, fund, happened, on_node, operate, pay, postings, sealed,
    set_policy, transaction,
};
use crate::testing::{World, given};
use crate::transaction::{self, CancelReason, Canceled, QueueReason, Queued};
use crate::{NodeId, TransactionId, user};

const BY_OLGA: Origin = Origin::of(Actor::Operator(OLGA));

fn requested(number: u128, act: Act, waits: bool) -> NewEvent {
    let requested = Requested { platform: PLATFORM, act, by: OLGA, waits, reason: Some(sealed(number)) };
    NewEvent::new(OperationId::from_u128(number), requested)
}

fn status(world: &World, number: u128) -> Option<Status> {
    world.operation(OperationId::from_u128(number)).map(|operation| operation.status)
}

#[test]
fn act_is_immediate_and_names_its_operator() {
    let reason = QueueReason::Risk;
    let act = Act::Queue { transaction: transaction(1), reason };
    let world = given([pay(1, 60)]).when(operate(80, act.clone())).then([
        requested(80, act, false),
        happened(1, Queued { reasons: vec![reason], waits_for: vec![], origin: BY_OLGA }),
    ]);
    assert_eq!(status(&world, 80), Some(Status::Done));
    let act = Act::Cancel { transaction: transaction(1) };
    let ended = Canceled { reason: CancelReason::Requested, postings: None, origin: BY_OLGA };
    world.when(operate(81, act.clone())).then([requested(81, act, false), happened(1, ended)]);
}

#[test]
fn repeated_request_changes_nothing() {
    let act = || Act::LockNode { node: ANNS };
    given([operate(80, act()).into()]).when(operate(80, act())).then([]);
    // Another act under the same id counts as the same request.
    given([operate(80, act()).into()]).when(operate(80, Act::UnlockNode { node: ANNS })).then([]);
}

#[test]
fn request_without_effect_is_still_recorded() {
    let act = Act::UnlockNode { node: ANNS };
    given([]).when(operate(80, act.clone())).then([requested(80, act, false)]);
}

/// Acts that the rules refuse, with their refusals.
fn refused_acts() -> Vec<(Act, crate::Refusal)> {
    let unknown_node = NodeId::from_u128(404);
    let unknown_user = crate::UserId::from_u128(404);
    let payment: TransactionId = transaction(1);
    let settled = transaction(2);
    let code = "R01".parse().expect("a code");
    let too_much = postings(&[on_node(ANNS, 101), on_node(BOBS, -101)]);
    let no_transaction = transaction::Refusal::Unknown;
    vec![
        (Act::Queue { transaction: settled, reason: QueueReason::Risk }, no_transaction.into()),
        (
            Act::Release { transaction: payment },
            transaction::Refusal::NotQueued(transaction::Status::Created).into(),
        ),
        (Act::Cancel { transaction: settled }, no_transaction.into()),
        (
            Act::Return { transaction: payment, code, leg: None },
            transaction::Refusal::CannotReturn(transaction::Status::Created).into(),
        ),
        (
            Act::Journal { postings: too_much, effective_at: None, clears: vec![] },
            super::super::Refusal::OutOfRange.into(),
        ),
        (Act::LockNode { node: unknown_node }, node::Refusal::Unknown.into()),
        (Act::UnlockNode { node: unknown_node }, node::Refusal::Unknown.into()),
        (Act::LockUser { user: unknown_user }, user::Refusal::Unknown.into()),
        (Act::UnlockUser { user: unknown_user }, user::Refusal::Unknown.into()),
        (Act::SetLimits { node: OUTSIDE, limits: [].into() }, node::Refusal::NotHeld.into()),
        (Act::SetLimits { node: unknown_node, limits: [].into() }, node::Refusal::Unknown.into()),
    ]
}

#[test]
fn refused_act_records_nothing() {
    for (act, refusal) in refused_acts() {
        given([fund(ANNS, 100), pay(1, 60)]).when(operate(80, act)).refused(refusal);
    }
}

#[test]
fn refused_act_never_waits_for_approval() {
    for (act, refusal) in refused_acts() {
        let policy = Policy { approvals: [act.kind()].into(), ..Policy::default() };
        let world = given([fund(ANNS, 100), pay(1, 60), set_policy(90, policy)]);
        world.when(operate(80, act)).refused(refusal);
    }
}

#[test]
fn only_listed_acts_wait_for_approval() {
    let policy = Policy { approvals: [ActKind::Lock].into(), ..Policy::default() };
    let world = given([set_policy(90, policy)]);
    for act in [Act::LockNode { node: ANNS }, Act::LockUser { user: BOB }] {
        let world = world.clone().when(operate(80, act.clone())).then([requested(80, act, true)]);
        assert_eq!(status(&world, 80), Some(Status::Waiting));
        assert!(world.node(ANNS).is_some_and(|node| !node.is_locked));
        assert!(world.user(BOB).is_some_and(|user| !user.is_locked));
    }
    let world = world.when(operate(80, Act::SetLimits { node: FEES, limits: [].into() })).accepted();
    assert_eq!(status(&world, 80), Some(Status::Done));
}

#[test]
fn unknown_platform_is_refused() {
    let elsewhere = PlatformId::from_u128(404);
    let act = Act::LockNode { node: ANNS };
    let request = Request { platform: elsewhere, ..operate(80, act) };
    given([]).when(request).refused(platform::Refusal::Unknown);
}

#[test]
fn policy_is_set_as_a_whole() {
    let strict = Policy { reject_unfunded: true, ..Policy::default() };
    let euro = Currency::parse("EUR").expect("ISO 4217");
    let open = Policy { currencies: [euro].into(), ..Policy::default() };
    let world = given([set_policy(80, strict), set_policy(81, open.clone())]);
    assert_eq!(world.platform(PLATFORM).map(|platform| platform.policy.clone()), Some(open));
}

#[test]
fn any_approval_rule_covers_policy_changes() {
    let policy = Policy { approvals: [ActKind::Journal].into(), ..Policy::default() };
    let world = given([set_policy(900, policy)]);
    let world = world.when(operate(1, Act::SetPolicy { policy: Policy::default() })).accepted();
    let status = world.operation(OperationId::from_u128(1)).map(|operation| operation.status);
    assert_eq!(status, Some(Status::Waiting));
    let still = world.platform(PLATFORM).map(|platform| platform.policy.approvals.len());
    assert_eq!(still, Some(1));
}
