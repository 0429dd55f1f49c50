//! Generators of commands about the roles of operators.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::Command;
use crate::actor::Origin;
use crate::roles::Role;
use crate::roles::set::SetRoles;
use crate::testing::fixture::{OLGA, OTTO, PLATFORM};

/// Roles of an operator, on one platform or on all.
pub(super) fn any_roles() -> impl Strategy<Value = Command> {
    let platform = select(vec![None, Some(PLATFORM)]);
    let roles = (subsequence(Role::ALL.to_vec(), 0..=Role::ALL.len()), platform);
    let roles = roles.prop_map(|(roles, on)| roles.into_iter().map(|role| (role, on)).collect());
    (select(vec![OLGA, OTTO]), roles).prop_map(|(operator, roles): (_, BTreeSet<_>)| {
        SetRoles { operator, roles, active: vec![OLGA, OTTO], origin: Origin::PROCESS }.into()
    })
}
