//! Example events of operators and of a sandbox's simulations.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::calendar::Day;
use daybook_domain::operation::{Act, ActKind, Approved, Declined, Journaled, Requested};
use daybook_domain::platform::{self, Limits, Policy};
use daybook_domain::posting::LedgerAccount;
use daybook_domain::roles::{Grant, Role, RoleSet};
use daybook_domain::statement::accept::{StatedDay, StatedFile};
use daybook_domain::user::{self, ErasureReason, HoldReason, Permission, Retention};
use daybook_domain::{Actor, Bank, Currency, CustodyId, Event, OperatorId, Origin, StatementId, node};

use super::examples::{FEES, NOON, PLATFORM, SENDER, postings, sealed};

const OLGA: OperatorId = OperatorId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_000a);
const OTTO: OperatorId = OperatorId::from_u128(0x0193_5a1c_2f00_0000_0000_0000_0000_000b);

pub(super) fn examples() -> Vec<Event> {
    [operation(), platform(), locks(), roles()].concat()
}

fn limits() -> BTreeMap<Currency, Limits> {
    let usd = Limits { floor: Some(-5_000), daily_in: None, daily_out: Some(100_000) };
    [(Currency::USD, usd)].into()
}

fn operation() -> Vec<Event> {
    let moved = postings(&[(LedgerAccount::Suspense, 7), (LedgerAccount::Node(FEES), -7)]);
    let act = Act::Journal { postings: moved.clone(), effective_at: Some(NOON), clears: vec![] };
    vec![
        Requested { platform: PLATFORM, act, by: OLGA, waits: true, reason: Some(sealed()) }.into(),
        Approved { by: OTTO }.into(),
        Declined { by: OTTO, because: None }.into(),
        Journaled { postings: moved }.into(),
    ]
}

fn roles() -> Vec<Event> {
    let grant = Grant { operator: OTTO, role: Role::Approver, platform: Some(PLATFORM) };
    vec![RoleSet { grant, holds: true, origin: Origin::PROCESS }.into()]
}

fn platform() -> Vec<Event> {
    let policy = Policy {
        reject_unfunded: true,
        currencies: [Currency::parse("EUR").expect("ISO 4217")].into(),
        limits: limits(),
        approvals: BTreeSet::from([ActKind::Journal, ActKind::SetPolicy]),
        daily_micro_deposits: None,
        written_authorizations: false,
        evidence_years: None,
    };
    vec![
        platform::PolicySet { policy, origin: Origin::of(Actor::Operator(OLGA)) }.into(),
        platform::ClockAdvanced { ms: 900_000 }.into(),
    ]
}

fn locks() -> Vec<Event> {
    let origin = Origin::of(Actor::Operator(OLGA));
    let retention = Retention { until: Some(NOON), hold: Some(HoldReason::Litigation) };
    vec![
        user::PermissionSet { permission: Permission::Receive, origin: Origin::simulated() }.into(),
        user::Locked { origin }.into(),
        user::Unlocked { origin }.into(),
        user::RetentionSet { retention, origin }.into(),
        user::Erased { reason: ErasureReason::Requested, origin }.into(),
        node::Locked { code: None, origin }.into(),
        node::Unlocked { origin }.into(),
        node::LimitsSet { limits: limits(), origin }.into(),
    ]
}

fn stated() -> StatedFile {
    let day = StatedDay {
        id: StatementId::from_u128(1),
        currency: Currency::USD,
        day: Day::of(NOON),
        opening: 0,
        closing: -7,
        lines: 1,
        replaces: Some(StatementId::from_u128(2)),
    };
    StatedFile { statements: vec![day], format: "bai2".into(), hash: "0f".repeat(32), bytes: 1_000 }
}

#[test]
fn every_act_survives_serialization() {
    let transaction = super::examples::PAYMENT;
    let user = super::examples::USER;
    let acts = [
        Act::Queue { transaction, reason: daybook_domain::transaction::QueueReason::Risk },
        Act::Release { transaction },
        Act::Cancel { transaction },
        Act::Return { transaction, code: "R10".parse().expect("known"), leg: None },
        Act::LockNode { node: SENDER },
        Act::UnlockNode { node: SENDER },
        Act::LockUser { user },
        Act::UnlockUser { user },
        Act::SetLimits { node: SENDER, limits: limits() },
        Act::SetPolicy { policy: Policy::default() },
        Act::Restate { custody: CustodyId::of(super::examples::PLATFORM, Bank::SANDBOX), file: stated() },
    ];
    for act in acts {
        let text = serde_json::to_string(&act).expect("serializes");
        assert_eq!(serde_json::from_str::<Act>(&text).ok(), Some(act), "{text}");
    }
}
