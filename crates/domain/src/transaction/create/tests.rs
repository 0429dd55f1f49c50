use super::*;
use crate::money::{Currency, MAX_MINOR};
use crate::platform::Policy;
use crate::posting::Rail;
use crate::testing::fixture::{
    ANNS, ASLEEP, BOB, BOBS, BOBS_BANK, DAN, DANS, FEES, GATED, HOUSE, OUTSIDE, OWNER, PLATFORM, PULLED,
    RESERVE, TIPS, between, counted, created, debit, entry, fee, fund, happened, lower, node, pay, payment,
    set_policy, transaction, usd,
};
use crate::testing::given;
use crate::transaction::{CancelReason, QueueReason};
use crate::user::Permission;

const NOBODYS: NodeId = NodeId::from_u128(404);

fn euro() -> Currency {
    Currency::parse("EUR").expect("ISO 4217")
}

/// A payment by Bob, from `from` to Ann.
fn by_bob(from: NodeId) -> Create {
    Create { by: BOB, from, to: ANNS, ..payment(1, 60) }
}

/// The entry that holds `minor` for a payment; `in_all` of the 100 that came onto Ann's node on this day are then held.
fn hold(number: u128, minor: i64, in_all: i64) -> NewEvent {
    counted(entry(ANNS, transaction(number), (0, minor, 0), (100, in_all, 0)), 100, 0)
}

#[test]
fn covered_payment_is_accepted_and_held() {
    given([fund(ANNS, 100)]).when(pay(1, 60)).then([created(&payment(1, 60), 60), hold(1, 60, 60)]);
}

#[test]
fn last_cent_can_be_held() {
    given([fund(ANNS, 100)]).when(pay(1, 100)).then([created(&payment(1, 100), 100), hold(1, 100, 100)]);
}

#[test]
fn uncovered_payment_is_accepted_without_hold() {
    given([fund(ANNS, 100)]).when(pay(1, 101)).then([created(&payment(1, 101), 0)]);
    given([]).when(pay(1, 1)).then([created(&payment(1, 1), 0)]);
}

#[test]
fn scheduled_payment_gets_no_early_hold() {
    let scheduled = Create { in_days: 1, ..payment(1, 60) };
    given([fund(ANNS, 100)]).when(scheduled.clone()).then([created(&scheduled, 0)]);
}

#[test]
fn first_created_is_first_served() {
    given([fund(ANNS, 100), pay(1, 60)]).when(pay(2, 60)).then([created(&payment(2, 60), 0)]);
    given([fund(ANNS, 100), pay(1, 60)])
        .when(pay(2, 40))
        .then([created(&payment(2, 40), 40), hold(2, 40, 100)]);
}

#[test]
fn pending_money_cannot_be_held() {
    let on_its_way = Create { id: transaction(2), ..by_bob(BOBS) };
    given([fund(BOBS, 60), on_its_way.into(), debit(2)]).when(pay(1, 60)).then([created(&payment(1, 60), 0)]);
}

#[test]
fn money_in_another_currency_covers_nothing() {
    let euros = Create { amount: Money::new(60, euro()), ..payment(1, 60) };
    let enabled = Policy { currencies: [euro()].into(), ..Policy::default() };
    given([fund(ANNS, 100), set_policy(8, enabled)]).when(euros.clone()).then([created(&euros, 0)]);
}

#[test]
fn repeated_payment_changes_nothing() {
    given([fund(ANNS, 100), pay(1, 60)]).when(pay(1, 60)).then([]);
    given([fund(ANNS, 100), pay(1, 60), debit(1)]).when(pay(1, 99)).then([]);
}

#[test]
fn forbidden_payment_is_recorded_and_canceled() {
    let from_reserve = Create { by: OWNER, from: RESERVE, to: HOUSE, ..payment(1, 60) };
    let world = given([fund(RESERVE, 100)]).when(from_reserve).accepted();
    let status = world.transaction(transaction(1)).map(|transaction| (transaction.status, transaction.hold));
    assert_eq!(status, Some((crate::transaction::Status::Canceled, 0)));
    let canceled = Canceled {
        reason: CancelReason::SenderNotAllowed,
        postings: None,
        origin: Origin::of(Actor::User(OWNER)),
    };
    let again =
        given([fund(RESERVE, 100)]).submit(&Create { by: OWNER, from: RESERVE, ..payment(1, 60) }.into());
    assert_eq!(again.map(|facts| facts.last().cloned()), Ok(Some(happened(1, canceled))));
}

#[test]
fn closed_user_gets_no_fee() {
    let bobs = NodeId::from_u128(98);
    let create = Create { to: HOUSE, fees: vec![fee(bobs, 1)], ..payment(1, 60) };
    let world = given([fund(ANNS, 100), node(bobs, BOB, NodeKind::LedgerUs).into()]);
    world.clone().when(create.clone()).accepted();
    let world = world.when(lower(BOB, Permission::Closed)).accepted();
    world.when(create).refused(Refusal::UnknownFeeNode(0));
}

#[test]
fn queued_payment_keeps_its_hold() {
    let create = Create { by: DAN, from: DANS, ..payment(1, 60) };
    let reasons = vec![QueueReason::SenderPermission];
    let queued = Queued { reasons, waits_for: vec![], origin: Origin::of(Actor::User(DAN)) };
    let held = counted(entry(DANS, transaction(1), (0, 60, 0), (100, 60, 0)), 100, 0);
    let facts = [created(&create, 60), held, happened(1, queued.clone())];
    given([fund(DANS, 100)]).when(create.clone()).then(facts);
    // Without funds there is nothing to hold.
    given([]).when(create.clone()).then([created(&create, 0), happened(1, queued)]);
}

#[test]
fn pull_holds_nothing_here() {
    let pull = between(1, PULLED, ANNS, 60);
    given([]).when(pull.clone()).then([created(&pull, 0)]);
    let strict = set_policy(90, Policy { reject_unfunded: true, ..Policy::default() });
    given([strict]).when(pull.clone()).then([created(&pull, 0)]);
}

#[test]
fn unverified_bank_account_is_not_debited() {
    let pull = between(1, OUTSIDE, ANNS, 60);
    let origin = Origin::of(Actor::User(pull.by));
    let canceled = Canceled { reason: CancelReason::SenderNotAllowed, postings: None, origin };
    given([]).when(pull.clone()).then([created(&pull, 0), happened(1, canceled)]);
}

#[test]
fn reserve_may_be_credited() {
    let topping_up = Create { to: RESERVE, to_kind: NodeKind::ReserveUs, ..payment(1, 60) };
    let world = given([fund(ANNS, 100)]).when(topping_up).accepted();
    assert_eq!(world.account(ANNS, Currency::USD).held, 60);
}

#[test]
fn gateway_call_may_debit_restricted_node() {
    let gateway = Create { by_gateway: true, ..by_bob(GATED) };
    given([fund(GATED, 100)]).when(gateway).accepted();
}

#[test]
fn fees_up_to_the_amount_are_accepted() {
    for fees in [vec![fee(FEES, 60)], vec![fee(FEES, 59), fee(TIPS, 1)], vec![fee(FEES, 30), fee(FEES, 30)]] {
        let create = Create { fees, ..payment(1, 60) };
        given([]).when(create.clone()).then([created(&create, 0)]);
    }
}

#[test]
fn malformed_payment_is_refused_with_reason() {
    let fees = |fees: &[Fee]| Create { fees: fees.to_vec(), ..payment(1, 60) };
    let amount = |minor| Create { amount: usd(minor), ..payment(1, 60) };
    let unknown: crate::Refusal = node::Refusal::Unknown.into();
    let too_much: crate::Refusal =
        Refusal::TooMuchForRail { rail: Rail::Ach, most: usd(9_999_999_999) }.into();
    let table: Vec<(&str, Create, crate::Refusal)> = vec![
        ("no such sender", Create { from: NOBODYS, ..payment(1, 60) }, unknown),
        ("another's node", Create { from: BOBS, to: ANNS, ..payment(1, 60) }, unknown),
        ("another platform", Create { platform: PlatformId::from_u128(2), ..payment(1, 60) }, unknown),
        ("inactive sender", by_bob(ASLEEP), unknown),
        ("to itself", Create { to: ANNS, ..payment(1, 60) }, Refusal::SameNode.into()),
        ("no such receiver", Create { to: NOBODYS, ..payment(1, 60) }, Refusal::UnknownReceiver.into()),
        (
            "receiver of another type",
            Create { to: FEES, ..payment(1, 60) },
            Refusal::ReceiverType(NodeKind::LedgerUs).into(),
        ),
        ("no such fee node", fees(&[fee(NOBODYS, 1)]), Refusal::UnknownFeeNode(0).into()),
        ("fee to a deposit", fees(&[fee(FEES, 1), fee(HOUSE, 1)]), Refusal::FeeNodeType(1).into()),
        ("fees of more", fees(&[fee(FEES, 60), fee(TIPS, 1)]), Refusal::FeesExceedAmount.into()),
        (
            "fees beyond the integers",
            fees(&[fee(FEES, i64::MAX), fee(TIPS, i64::MAX)]),
            Refusal::FeesExceedAmount.into(),
        ),
        ("a fee of nothing", fees(&[fee(FEES, 0)]), Refusal::OutOfRange.into()),
        ("a fee turned around", fees(&[fee(FEES, -1), fee(TIPS, 1)]), Refusal::OutOfRange.into()),
        ("nothing", amount(0), Refusal::OutOfRange.into()),
        ("a payment turned around", amount(-60), Refusal::OutOfRange.into()),
        ("more than the limit", amount(MAX_MINOR + 1), Refusal::OutOfRange.into()),
        ("more than a pull carries", between(1, PULLED, ANNS, 10_000_000_000), too_much),
        ("more than a push carries", between(1, ANNS, BOBS_BANK, 10_000_000_000), too_much),
        ("gateway only", by_bob(GATED), Refusal::GatewayOnly.into()),
        (
            "money that the platform does not have",
            Create { amount: Money::new(60, euro()), ..payment(1, 60) },
            platform::Refusal::CurrencyDisabled.into(),
        ),
    ];
    for (name, create, refusal) in table {
        let mut world = given([fund(ANNS, 100), fund(BOBS, 100)]);
        let before = world.clone();
        assert_eq!(world.submit(&create.into()), Err(refusal), "{name}");
        assert_eq!(world, before, "{name}");
    }
}

/// The command has every defect at first; each repair shows the next refusal.
#[test]
fn refusals_come_in_a_fixed_order() {
    let mut create = Create {
        from: NOBODYS,
        to: GATED,
        to_kind: NodeKind::AchUs,
        fees: vec![fee(NOBODYS, 0), fee(HOUSE, 61)],
        by: BOB,
        ..payment(1, 60)
    };
    let refused = |create: &Create, refusal: crate::Refusal| {
        given([]).when(create.clone()).refused(refusal);
    };
    refused(&create, node::Refusal::Unknown.into());
    create.from = GATED;
    refused(&create, Refusal::SameNode.into());
    create.to = NOBODYS;
    refused(&create, Refusal::UnknownReceiver.into());
    create.to = OUTSIDE;
    create.to_kind = NodeKind::DepositUs;
    refused(&create, Refusal::ReceiverType(NodeKind::AchUs).into());
    create.to_kind = NodeKind::AchUs;
    refused(&create, Refusal::UnknownFeeNode(0).into());
    create.fees[0].to = FEES;
    refused(&create, Refusal::FeeNodeType(1).into());
    create.fees[1].to = TIPS;
    refused(&create, Refusal::OutOfRange.into());
    create.fees[0].minor = 1;
    refused(&create, Refusal::FeesExceedAmount.into());
    create.fees[1].minor = 59;
    refused(&create, Refusal::GatewayOnly.into());
    create.by_gateway = true;
    given([]).when(create).accepted();
}

#[test]
fn rail_carries_up_to_its_limit() {
    let most = 9_999_999_999;
    given([]).when(between(1, PULLED, ANNS, most)).accepted();
    given([]).when(between(1, ANNS, BOBS_BANK, most)).accepted();
    // The fee does not go over the rail.
    let create = Create { fees: vec![fee(FEES, 1)], ..between(1, ANNS, BOBS_BANK, most + 1) };
    given([]).when(create).accepted();
}

#[test]
fn decision_reads_only_the_needed_states() {
    let create = Create { fees: vec![fee(FEES, 1)], ..payment(1, 60) };
    let world = given([fund(ANNS, 100)]);
    let needs = create.needs(&world);
    let account = AccountId::of(ANNS, Currency::USD);
    for key in
        [ANNS.into(), BOBS.into(), FEES.into(), account.into(), PLATFORM.into(), Key::from(transaction(1))]
    {
        assert!(needs.contains(&key), "{key:?}");
    }
}
