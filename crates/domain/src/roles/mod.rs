//! Roles: what each operator may do, on all platforms or on one. As long as no operator was ever given a role, every
//! operator is an administrator.
//!
//! One stream has the roles of all operators, because the rule that an administrator is left runs over all of them. It
//! belongs to no platform.

pub mod event;
mod held;
pub mod refusal;
mod right;
pub mod set;

use std::collections::BTreeSet;

pub use event::{Event, RoleSet};
pub use refusal::Refusal;
pub use right::{Right, Role};
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::id::{OperatorId, PlatformId};
use crate::time::Timestamp;

/// Platform of events that belong to no platform.
pub const NO_PLATFORM: PlatformId = PlatformId::from_u128(0);

/// A role of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Grant {
    /// The operator.
    pub operator: OperatorId,
    /// The role.
    pub role: Role,
    /// The only platform on which it holds; `None` for all platforms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<PlatformId>,
}

impl Grant {
    /// Administrator of all platforms.
    #[must_use]
    pub const fn admin(operator: OperatorId) -> Self {
        Self { operator, role: Role::Admin, platform: None }
    }
}

/// Roles of all operators.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Roles {
    grants: BTreeSet<Grant>,
}

impl Aggregate for Roles {
    type Event = Event;
    const KIND: Kind = Kind::Roles;

    fn begin(event: &Event, at: Timestamp) -> Option<Self> {
        let mut roles = Self::default();
        roles.evolve(event, at);
        Some(roles)
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        let Event::RoleSet(set) = event;
        self.set(set.grant, set.holds);
    }
}
