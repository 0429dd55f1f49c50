use super::*;
use crate::actor::Actor;
use crate::command::Command;
use crate::node::relabel::Relabel;
use crate::subnet::update::Update;
use crate::testing::fixture::{
    ANN, ANNS, BOB, BOBS, OLGA, OWNER, PLATFORM, PULLED, change_subnet, credit, debit, erase, fund, lower,
    pay, payment, release_hold, retain, sealed, set_profile, settle, subnet, transaction,
};
use crate::testing::{World, given};
use crate::transaction::comment::Comment;
use crate::transaction::create::Create;
use crate::user::permission::Permission;
use crate::user::retain::{HoldChange, HoldReason, Retain};

const ORIGIN: Origin = Origin::of(Actor::Operator(OLGA));

fn close(user: UserId) -> Command {
    lower(user, Permission::Closed).into()
}

fn hold(user: UserId) -> Command {
    Retain { until: None, hold: HoldChange::Set(HoldReason::Litigation), ..retain(user, 0) }.into()
}

fn erased() -> NewEvent {
    NewEvent::new(ANN, Erased { reason: ErasureReason::Requested, origin: ORIGIN })
}

/// An erasure of Ann with her account and her only payment.
fn with_payment() -> Erase {
    Erase { accounts: vec![(ANNS, Currency::USD)], transactions: vec![transaction(1)], ..erase(ANN) }
}

/// A world in which Ann has paid all of her money, after this many steps of the payment, and is closed.
fn paid(steps: usize) -> World {
    let steps = [debit(1), credit(1), settle(1)].into_iter().take(steps);
    given([fund(ANNS, 60), pay(1, 60)].into_iter().chain(steps).chain([close(ANN)]))
}

#[test]
fn closed_user_without_transactions_is_erased_once() {
    let world = given([close(ANN)]).when(erase(ANN)).then([erased()]);
    let ann = world.user(ANN).expect("is there");
    assert_eq!(ann.erased.map(|erasure| erasure.reason), Some(ErasureReason::Requested));
    assert!(ann.profile.is_none() && ann.documents.iter().all(|document| document.contents.is_none()));
    assert!(ann.in_review_since().is_none());
    world.when(erase(ANN)).then([]);
}

#[test]
fn only_closed_users_are_erased() {
    given([]).when(erase(ANN)).refused(Refusal::NotClosed);
    given([lower(ANN, Permission::Locked).into()]).when(erase(ANN)).refused(Refusal::NotClosed);
    given([lower(ANN, Permission::MakeItGoAway).into()]).when(erase(ANN)).then([erased()]);
}

#[test]
fn legal_hold_prevents_erasure() {
    let world = given([hold(ANN), close(ANN)]).when(erase(ANN)).refused(Refusal::OnHold);
    world.when(release_hold(ANN)).accepted().when(erase(ANN)).then([erased()]);
}

#[test]
fn records_are_kept_until_their_date() {
    let world = given([retain(ANN, 1_000).into(), close(ANN)]);
    let world = world.later(999).when(erase(ANN)).refused(Refusal::Retained);
    world.later(1).when(erase(ANN)).then([erased()]);
}

#[test]
fn user_with_transactions_needs_retention_date() {
    let world = paid(3).when(with_payment()).refused(Refusal::RetentionUnset);
    let world = world.when(retain(ANN, 5)).accepted();
    let world = world.when(with_payment()).refused(Refusal::Retained);
    world.later(5).when(with_payment()).then([erased()]);
}

#[test]
fn money_or_running_transactions_prevent_erasure() {
    let known = |world: World| world.when(retain(ANN, 0)).accepted();
    for steps in 0..2 {
        let answer = known(paid(steps)).when(Erase { transactions: vec![], ..with_payment() });
        if steps == 0 {
            answer.refused(Refusal::HasMoney);
        }
        known(paid(steps)).when(Erase { accounts: vec![], ..with_payment() }).refused(Refusal::UnderWay);
    }
    let rich = given([fund(ANNS, 1), close(ANN)]);
    known(rich).when(Erase { transactions: vec![], ..with_payment() }).refused(Refusal::HasMoney);
    let unknown = Erase { transactions: vec![transaction(404)], ..erase(ANN) };
    known(given([close(ANN)])).when(unknown).refused(Refusal::UnderWay);
}

#[test]
fn open_items_prevent_erasure() {
    let pull = Create { from: PULLED, to: ANNS, to_kind: crate::node::NodeKind::DepositUs, ..payment(1, 60) };
    let steps = [pull.into(), debit(1), credit(1), settle(1), close(ANN), retain(ANN, 0).into()];
    given(steps).when(Erase { accounts: vec![], ..with_payment() }).refused(Refusal::UnderWay);
}

#[test]
fn own_or_foreign_user_is_not_erased() {
    given([]).when(erase(OWNER)).refused(Refusal::OwnUserErased);
    let foreign = Erase { platform: PlatformId::from_u128(2), ..erase(ANN) };
    given([close(ANN)]).when(foreign).refused(Refusal::Unknown);
    given([]).when(erase(UserId::from_u128(404))).refused(Refusal::Unknown);
}

#[test]
fn erased_user_gets_no_new_boxes() {
    let history = [subnet(1, ANNS).into(), fund(ANNS, 60), pay(1, 60), debit(1), credit(1), settle(1)];
    let ended = [close(ANN), retain(ANN, 0).into(), with_payment().into()];
    let world = given(history.into_iter().chain(ended));
    let comment = |by, node| Comment { id: transaction(1), platform: PLATFORM, by, node, comment: sealed(5) };
    let relabel = Relabel {
        node: ANNS,
        platform: PLATFORM,
        by: ANN,
        from: Some(crate::id::BoxId::from_u128(ANNS.as_u128())),
        changes_supp_id: false,
        details: sealed(7),
    };
    let renamed = Update { details: Some(sealed(8)), ..change_subnet(1, ANNS) };
    let commands: [(Command, Refusal); 6] = [
        (comment(ANN, ANNS).into(), Refusal::Erased),
        (comment(BOB, BOBS).into(), Refusal::Erased),
        (relabel.into(), Refusal::Erased),
        (renamed.into(), Refusal::Erased),
        (retain(ANN, 9).into(), Refusal::Erased),
        (set_profile(ANN, 3, 9).into(), Refusal::Closed),
    ];
    for (command, refusal) in commands {
        world.clone().when(command).refused(refusal);
    }
}
