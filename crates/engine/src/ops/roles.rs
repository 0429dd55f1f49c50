//! Roles of operators. They are in the first shard, for all shards.

use std::collections::BTreeSet;

use daybook_domain::operation::{Act, Operation};
use daybook_domain::roles::set::SetRoles;
use daybook_domain::roles::{Right, Role, Roles};
use daybook_domain::{OperatorId, Origin, PlatformId, RolesId, States};
use daybook_log::FIRST_SHARD;
use daybook_projector::Records;

use super::OpsError;
use crate::batch::{Call, Submitted};
use crate::engine::Engine;

/// Rights of one operator on one platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights(Vec<Right>);

impl Rights {
    /// True if the operator has this right.
    #[must_use]
    pub fn have(&self, right: Right) -> bool {
        self.0.contains(&right)
    }

    /// True if the operator has no right at all: the platform does not exist for it.
    #[must_use]
    pub const fn are_none(&self) -> bool {
        self.0.is_empty()
    }
}

impl Engine {
    /// Returns the roles of all operators; `None` if no role was ever given, so that every operator is administrator.
    ///
    /// # Errors
    ///
    /// Fails if the read models or the log of the first shard are unavailable.
    pub async fn roles(&self) -> Result<Option<Roles>, OpsError> {
        Ok(self.records_of_roles().await?.roles(RolesId::ALL).cloned())
    }

    async fn records_of_roles(&self) -> Result<Records, OpsError> {
        Ok(self.reads().aggregates().records(FIRST_SHARD, &[RolesId::ALL.into()]).await?)
    }

    /// Returns the rights of an operator on a platform; those on all platforms, if none is named.
    ///
    /// # Errors
    ///
    /// Fails if the read models or the log of the first shard are unavailable.
    pub async fn rights(
        &self,
        operator: OperatorId,
        platform: Option<PlatformId>,
    ) -> Result<Rights, OpsError> {
        let found = self.records_of_roles().await?;
        let roles = found.roles(RolesId::ALL);
        let has = |right: &Right| roles.is_none_or(|roles| roles.allow(operator, *right, platform));
        Ok(Rights(Right::ALL.into_iter().filter(has).collect()))
    }

    /// Sets the roles of an operator, each on one platform or on all.
    ///
    /// # Errors
    ///
    /// Refused by the rules if no operator that is not revoked would be administrator of all platforms.
    pub async fn set_roles(
        &self,
        operator: OperatorId,
        roles: BTreeSet<(Role, Option<PlatformId>)>,
    ) -> Result<Submitted, OpsError> {
        let listed = self.access().operators().await?;
        let active = listed.iter().filter(|it| it.revoked_at.is_none()).map(|it| it.operator.id).collect();
        let set = SetRoles { operator, roles, active, origin: Origin::PROCESS };
        Ok(self.submit(Call::of(FIRST_SHARD), set).await?)
    }

    /// True if the operator that requested an operation may not act any more: it was revoked, or lost the role.
    pub(super) async fn asker_is_gone(&self, operation: &Operation) -> Result<bool, OpsError> {
        let rights = self.rights(operation.by, Some(operation.platform)).await?;
        Ok(!rights.have(right_of(&operation.act)) || !self.access().is_operator(operation.by).await?)
    }
}

/// The right that an act needs.
#[must_use]
pub const fn right_of(act: &Act) -> Right {
    match act {
        Act::SetPolicy { .. } => Right::Configure,
        Act::Queue { .. }
        | Act::Release { .. }
        | Act::Cancel { .. }
        | Act::Return { .. }
        | Act::PresentAgain { .. }
        | Act::Journal { .. }
        | Act::Match { .. }
        | Act::Unmatch { .. }
        | Act::LockNode { .. }
        | Act::UnlockNode { .. }
        | Act::LockUser { .. }
        | Act::UnlockUser { .. }
        | Act::SetLimits { .. }
        | Act::SetRules { .. }
        | Act::Restate { .. } => Right::Act,
    }
}
