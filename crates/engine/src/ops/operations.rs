//! Operations. The reason is sealed before the decision, and opened for display.

use daybook_domain::operation::request::Request;
use daybook_domain::operation::review::Review;
use daybook_domain::operation::{self, Act, Operation};
use daybook_domain::{OperationId, OperatorId, States};
use daybook_vault::Class;

use super::OpsError;
use crate::access::PlatformRecord;
use crate::batch::{Call, Submitted};
use crate::contents::OperationDetails;
use crate::engine::Engine;
use crate::error::SubmitError;
use crate::sealer::open;

impl Engine {
    /// Performs `act` on `platform`, or records it as waiting for another operator's approval. Returns the operation's
    /// id.
    ///
    /// # Errors
    ///
    /// [`SubmitError::Refused`] if the rules refuse it. Nothing is recorded then.
    pub async fn operate(
        &self,
        platform: &PlatformRecord,
        call: Call,
        by: OperatorId,
        act: Act,
        reason: String,
    ) -> Result<(OperationId, Submitted), OpsError> {
        let id = OperationId::from_u128(self.entropy().ulid(self.clock().now()));
        let sealer = self.own_sealer(platform).await?;
        let reason = sealer.seal(Class::Profile, &OperationDetails { reason })?;
        let act = self.resolved(platform, act).await?;
        let request = Request { id, platform: platform.id, by, act, reason };
        Ok((id, self.submit(call, request).await?))
    }

    /// Approves or declines an operation of `platform`.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::operate`].
    pub async fn review(
        &self,
        platform: &PlatformRecord,
        call: Call,
        review: Review,
    ) -> Result<Submitted, OpsError> {
        // An operation of another platform is treated as unknown.
        let operation = self.operation(platform, review.id).await?;
        let asker_is_revoked = review.approves && self.asker_is_gone(&operation).await?;
        let review = Review { asker_is_revoked, ..review };
        Ok(self.submit(call, review).await?)
    }

    /// Returns an operation of `platform`.
    ///
    /// # Errors
    ///
    /// [`operation::Refusal::Unknown`] if there is none with this id.
    pub async fn operation(&self, platform: &PlatformRecord, id: OperationId) -> Result<Operation, OpsError> {
        let found = self.reads().aggregates().records(platform.shard, &[id.into()]).await?;
        let operation = found.operation(id).filter(|operation| operation.platform == platform.id);
        operation.cloned().ok_or_else(|| SubmitError::Refused(operation::Refusal::Unknown.into()).into())
    }

    /// Returns the reasons of operations of `platform`, in order. A reason is empty if the platform was erased.
    ///
    /// # Errors
    ///
    /// Fails if the vault is unavailable.
    pub async fn reasons<'a>(
        &self,
        platform: &PlatformRecord,
        operations: impl IntoIterator<Item = &'a Operation>,
    ) -> Result<Vec<String>, OpsError> {
        let keys = self.own_keys(platform).await?;
        let reason = |operation: &Operation| match (&keys, &operation.reason) {
            (Some(keys), Some(sealed)) => {
                let details: OperationDetails = open(keys, Class::Profile, sealed)?;
                Ok(details.reason)
            }
            _ => Ok(String::new()),
        };
        operations.into_iter().map(reason).collect()
    }
}
