//! Generators of commands about subnets, subscriptions and attestations.

use proptest::prelude::*;
use proptest::sample::select;

use crate::subnet::Allowed;
use crate::subnet::update::Update;
use crate::subscription::Scope;
use crate::subscription::change::Change;
use crate::testing::fixture::{
    ANNS, WIRED, attest, change_subnet, change_subscription, sealed, subnet, subscription,
};
use crate::{Command, NodeId};

/// Nodes that get account numbers. The index is the number of the subnet.
const NODES: [NodeId; 2] = [ANNS, WIRED];

/// A new subnet, or a change of one that may exist.
fn any_subnet() -> impl Strategy<Value = Command> {
    let allowed = prop::option::of(select(Allowed::ALL.to_vec()));
    prop_oneof![
        1 => (0..NODES.len()).prop_map(|which| subnet(which as u128, NODES[which]).into()),
        1 => (0..NODES.len(), allowed, any::<bool>()).prop_map(|(which, allowed, is_named)| {
            let (number, node) = (which as u128, NODES[which]);
            let details = is_named.then(|| sealed(number));
            Update { allowed, details, ..change_subnet(number, node) }.into()
        }),
    ]
}

/// A new subscription, or a change of one that may exist.
fn any_subscription() -> impl Strategy<Value = Command> {
    let scopes = prop::option::of(prop::collection::vec(select(Scope::ALL.to_vec()), 1..4));
    prop_oneof![
        1 => (0..3_u128).prop_map(|number| subscription(number).into()),
        2 => (0..3_u128, prop::option::of(any::<bool>()), scopes, any::<bool>(), any::<bool>()).prop_map(
            |(number, is_active, scopes, is_moved, rotates_secret)| {
                let url = is_moved.then(|| sealed(number));
                Change { is_active, scopes, rotates_secret, url, ..change_subscription(number) }.into()
            }
        ),
    ]
}

/// A command about a subnet, a subscription or an attestation.
pub(super) fn any_place() -> impl Strategy<Value = Command> {
    prop_oneof![
        1 => any_subnet(),
        1 => any_subscription(),
        1 => (1..9_u64).prop_map(|position| attest(position).into()),
    ]
}
