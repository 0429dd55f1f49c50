//! Events of the roles of operators.

use serde::{Deserialize, Serialize};

use super::Grant;
use crate::actor::Origin;
use crate::event::{Payload, events};

events! { Roles:
    /// An operator was given a role, or a role was taken from it.
    RoleSet = 150 v 1 "operator.role_set",
}

/// An operator was given a role, or a role was taken from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleSet {
    /// The role.
    pub grant: Grant,
    /// True if the operator holds it from now on.
    pub holds: bool,
    /// Origin of the change.
    pub origin: Origin,
}

impl Payload for RoleSet {}
