//! Give an operator roles, and take its other roles.

use std::collections::BTreeSet;

use super::{Grant, NO_PLATFORM, Refusal, Role, RoleSet};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{OperatorId, PlatformId, RolesId};
use crate::state::States;
use crate::time::Timestamp;

/// Command to set the roles of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetRoles {
    /// The operator.
    pub operator: OperatorId,
    /// All roles that the operator holds from now on, each on one platform or on all.
    pub roles: BTreeSet<(Role, Option<PlatformId>)>,
    /// All operators that are not revoked. The caller supplies them, because credentials are kept outside the log.
    pub active: Vec<OperatorId>,
    /// Origin of the change.
    pub origin: Origin,
}

impl Decide for SetRoles {
    fn subject(&self) -> Key {
        RolesId::ALL.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![RolesId::ALL.into()]
    }

    /// Decides. The first command records that the other active operators are administrators, as they were without roles.
    /// A command that changes nothing records nothing. Refuses if no active operator would be administrator of all
    /// platforms.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let known = states.roles(RolesId::ALL);
        let wanted =
            |(role, platform): &_| Grant { operator: self.operator, role: *role, platform: *platform };
        let wanted: BTreeSet<Grant> = self.roles.iter().map(wanted).collect();
        let others = self.active.iter().filter(|id| known.is_none() && **id != self.operator);
        let founding = others.map(|id| (Grant::admin(*id), true));
        let held: BTreeSet<Grant> = known.into_iter().flat_map(|it| it.of(self.operator)).copied().collect();
        let taken = held.difference(&wanted).map(|grant| (*grant, false));
        let given = wanted.difference(&held).map(|grant| (*grant, true));
        let changes: Vec<(Grant, bool)> = founding.chain(taken).chain(given).collect();
        let mut after = known.cloned().unwrap_or_default();
        for (grant, holds) in &changes {
            after.set(*grant, *holds);
        }
        if !changes.is_empty() && !after.has_admin(&self.active) {
            return Err(Refusal::LastAdmin.into());
        }
        let event =
            |(grant, holds)| NewEvent::new(RolesId::ALL, RoleSet { grant, holds, origin: self.origin });
        Ok(changes.into_iter().map(event).collect())
    }

    fn platform_of_new(&self) -> Option<PlatformId> {
        Some(NO_PLATFORM)
    }

    /// Returns `None`: the stream may exist.
    fn creates(&self) -> Option<Key> {
        None
    }

    fn weight(&self) -> usize {
        size_of_val(self.active.as_slice())
    }
}

#[cfg(test)]
mod tests;
