//! Generators of commands of operators.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;

use super::history::{PAYMENTS, any_node, any_reason};
use crate::matching::{Means, Rule};
use crate::operation::{Act, ActKind};
use crate::platform::{Limits, Policy};
use crate::posting::{LedgerAccount, Posting, Postings, Rail};
use crate::testing::fixture::{
    ANN, ANNS, BOB, BOBS, CAT, OLGA, OTTO, RESERVE, SHOP, TILL, operate, review, transaction as number,
};
use crate::transaction::Direction;
use crate::{Command, Currency, Timestamp};

/// Numbers of operations: few, so that reviews meet them.
const OPERATIONS: std::ops::Range<u128> = 2_000..2_012;

fn limits() -> impl Strategy<Value = BTreeMap<Currency, Limits>> {
    let floor = select(vec![None, None, Some(-50), Some(0), Some(20)]);
    let cap = || select(vec![None, None, None, Some(0), Some(150), Some(1_000)]);
    (floor, cap(), cap()).prop_map(|(floor, daily_in, daily_out)| {
        [(Currency::USD, Limits { floor, daily_in, daily_out })].into()
    })
}

fn policy() -> impl Strategy<Value = Policy> {
    let euro = Currency::parse("EUR").expect("ISO 4217");
    let approvals = prop::collection::btree_set(
        select(vec![ActKind::Journal, ActKind::Return, ActKind::SetPolicy, ActKind::Lock]),
        0..2,
    );
    let micro_deposits = select(vec![None, None, Some(0), Some(1), Some(3)]);
    (any::<bool>(), any::<bool>(), limits(), approvals, micro_deposits).prop_map(
        move |(reject_unfunded, has_euros, limits, approvals, daily_micro_deposits)| Policy {
            reject_unfunded,
            currencies: has_euros.then_some(euro).into_iter().collect(),
            limits,
            approvals,
            daily_micro_deposits,
            written_authorizations: false,
            evidence_years: None,
        },
    )
}

fn journal() -> impl Strategy<Value = Act> {
    let account = || {
        select(vec![
            LedgerAccount::Node(ANNS),
            LedgerAccount::Node(BOBS),
            LedgerAccount::Suspense,
            LedgerAccount::RailIn(Rail::Ach),
            LedgerAccount::RailOut(Rail::Wire),
            LedgerAccount::ReturnIn,
            LedgerAccount::Transit,
        ])
    };
    let day = select(vec![None, None, Some(0), Some(i64::MAX)]);
    (account(), account(), 1..=100_i64, day).prop_map(|(debit, credit, amount, effective)| {
        let lines = [(debit, amount), (credit, -amount)];
        let lines = lines.map(|(account, amount)| Posting { account, amount });
        let postings = Postings::new(Currency::USD, lines.to_vec()).expect("balanced");
        Act::Journal { postings, effective_at: effective.map(Timestamp::from_ms), clears: vec![] }
    })
}

/// Rules by which single items match, with a difference of up to the given amount.
fn rules() -> impl Strategy<Value = Act> {
    select(vec![1, 5, 50]).prop_map(|difference| {
        let amount = Rule { days: Some(30), ..Rule::new("amounts", Means::Amount) };
        let near = Rule {
            of: Some("amounts".to_owned()),
            difference: Some(difference),
            node: Some(RESERVE),
            currency: Some(Currency::USD),
            ..Rule::new("near", Means::Tolerance)
        };
        let rules = vec![Rule::new("returns", Means::Returns), amount, near].try_into();
        Act::SetRules { rules: rules.expect("can be meant") }
    })
}

fn act() -> impl Strategy<Value = Act> {
    let legs = select(vec![None, Some(Direction::Push)]);
    let code = || "R07".parse().expect("a code");
    prop_oneof![
        1 => (PAYMENTS, any_reason()).prop_map(|(id, reason)| Act::Queue { transaction: number(id), reason }),
        1 => PAYMENTS.prop_map(|id| Act::Release { transaction: number(id) }),
        1 => PAYMENTS.prop_map(|id| Act::Cancel { transaction: number(id) }),
        2 => (PAYMENTS, legs)
            .prop_map(move |(id, leg)| Act::Return { transaction: number(id), code: code(), leg }),
        1 => PAYMENTS.prop_map(|id| Act::PresentAgain { transaction: number(id) }),
        4 => journal(),
        1 => select(vec![ANNS, BOBS, SHOP, SHOP, TILL]).prop_map(|node| Act::LockNode { node }),
        3 => select(vec![ANNS, BOBS, SHOP]).prop_map(|node| Act::UnlockNode { node }),
        1 => select(vec![ANN, BOB, CAT]).prop_map(|user| Act::LockUser { user }),
        5 => select(vec![ANN, BOB]).prop_map(|user| Act::UnlockUser { user }),
        2 => (any_node(), limits()).prop_map(|(node, limits)| Act::SetLimits { node, limits }),
        2 => policy().prop_map(|policy| Act::SetPolicy { policy }),
        2 => rules(),
    ]
}

/// An operator's request.
pub(super) fn any_operation() -> impl Strategy<Value = Command> {
    (OPERATIONS, act()).prop_map(|(id, act)| operate(id, act).into())
}

/// An operator's review of a request.
pub(super) fn any_review() -> impl Strategy<Value = Command> {
    let approves = select(vec![true, true, true, false]);
    (OPERATIONS, select(vec![OLGA, OTTO, OTTO]), approves)
        .prop_map(|(id, by, approves)| review(id, by, approves).into())
}
