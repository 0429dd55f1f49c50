//! Generators of commands about nodes.

use proptest::prelude::*;
use proptest::sample::select;

use super::history::any_node;
use crate::Command;
use crate::id::BoxId;
use crate::node::deactivate::Deactivate;
use crate::node::micro_deposits::MicroDeposits;
use crate::node::relabel::Relabel;
use crate::node::resend::ResendMicroDeposits;
use crate::node::verify::VerifyMicroDeposits;
use crate::testing::fixture::{
    ASLEEP, BOBS_BANK, CATS, DANS, OUTSIDE, PAYEE, PLATFORM, PULLED, PURSE, RESERVE, TILL, TIPS, WIRED,
    owner, sealed, transaction,
};

fn any_guess() -> impl Strategy<Value = Command> {
    let amounts = select(vec![[1, 2], [2, 2]]);
    (select(vec![OUTSIDE, BOBS_BANK, PULLED, WIRED]), amounts).prop_map(|(node, amounts)| {
        VerifyMicroDeposits { node, platform: PLATFORM, by: owner(node), amounts }.into()
    })
}

/// The numbers of the transactions are few, so that some are requested twice.
fn any_resend() -> impl Strategy<Value = Command> {
    (select(vec![OUTSIDE, BOBS_BANK, PULLED, WIRED]), 0..10_u128).prop_map(|(node, number)| {
        let transactions = [0, 1].map(|which| transaction(3_000 + 2 * number + which));
        let micro_deposits = MicroDeposits { amounts: [2, 1], transactions };
        ResendMicroDeposits { node, platform: PLATFORM, by: owner(node), micro_deposits }.into()
    })
}

fn any_label() -> impl Strategy<Value = Command> {
    let made_from = prop_oneof![3 => Just(None), 1 => (0..4_u128).prop_map(Some)];
    (any_node(), made_from, 0..4_u128, any::<bool>()).prop_map(|(node, from, to, changes_supp_id)| {
        let (by, details) = (owner(node), sealed(to));
        let from = Some(BoxId::from_u128(from.unwrap_or(node.as_u128())));
        Relabel { node, platform: PLATFORM, by, from, changes_supp_id, details }.into()
    })
}

fn any_end() -> impl Strategy<Value = Command> {
    select(vec![CATS, DANS, TIPS, PAYEE, WIRED, ASLEEP, RESERVE, TILL, PURSE])
        .prop_map(|node| Deactivate { node, platform: PLATFORM, by: owner(node) }.into())
}

/// A command of a node's owner.
pub(super) fn any_deed_of_an_owner() -> impl Strategy<Value = Command> {
    prop_oneof![2 => any_guess(), 3 => any_resend(), 1 => any_label(), 1 => any_end()]
}
