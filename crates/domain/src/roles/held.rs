//! Roles that operators hold, and the rights that follow.

use super::{Grant, Right, Roles};
use crate::id::{OperatorId, PlatformId};

impl Roles {
    /// All grants, those of one operator together.
    pub fn grants(&self) -> impl Iterator<Item = &Grant> {
        self.grants.iter()
    }

    /// Grants of an operator.
    pub fn of(&self, operator: OperatorId) -> impl Iterator<Item = &Grant> {
        self.grants().filter(move |grant| grant.operator == operator)
    }

    /// True if a role of the operator has this right on a platform; on all platforms, if none is named.
    #[must_use]
    pub fn allow(&self, operator: OperatorId, right: Right, platform: Option<PlatformId>) -> bool {
        let reaches = |grant: &Grant| grant.platform.is_none() || grant.platform == platform;
        self.of(operator).any(|grant| reaches(grant) && grant.role.rights().contains(&right))
    }

    /// True if one of these operators is administrator of all platforms.
    pub(super) fn has_admin(&self, active: &[OperatorId]) -> bool {
        active.iter().any(|id| self.grants.contains(&Grant::admin(*id)))
    }

    pub(super) fn set(&mut self, grant: Grant, holds: bool) {
        if holds {
            self.grants.insert(grant);
        } else {
            self.grants.remove(&grant);
        }
    }
}
