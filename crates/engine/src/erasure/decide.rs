//! Erasure commands of an operator: retention of a user's records, closing and erasing a user.

use std::time::Duration;

use daybook_domain::user::erase::Erase;
use daybook_domain::user::permit::Permit;
use daybook_domain::user::retain::{HoldChange, Retain};
use daybook_domain::user::{ErasureReason, Permission};
use daybook_domain::{Actor, OperatorId, Origin, Timestamp, UserId};
use daybook_projector::Holdings;
use uuid::Uuid;

use crate::access::PlatformRecord;
use crate::batch::Call;
use crate::engine::Engine;
use crate::error::StoresError;

/// Maximum wait for the read models to reach the position at which the user was closed.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(30);

/// Returns the call and the origin of an operator's command on a platform.
fn call(by: OperatorId, platform: &PlatformRecord) -> (Call, Origin) {
    (Call::by_operator(by, platform.shard), Origin::of(Actor::Operator(by)))
}

impl Engine {
    /// Keeps the records of `user` until a time, and sets or ends a legal hold. A value that is not given stays
    /// unchanged.
    ///
    /// # Errors
    ///
    /// [`Refused`](crate::SubmitError::Refused) if the rules refuse it.
    pub async fn retain_user(
        &self,
        platform: &PlatformRecord,
        by: OperatorId,
        user: UserId,
        until: Option<Timestamp>,
        hold: HoldChange,
    ) -> Result<(), StoresError> {
        let (call, origin) = call(by, platform);
        let retain = Retain { user, platform: platform.id, until, hold, origin };
        self.submit(call, retain).await?;
        Ok(())
    }

    /// Closes `user` for good. A user must be closed before it can be erased.
    ///
    /// # Errors
    ///
    /// [`Refused`](crate::SubmitError::Refused) if the rules refuse it.
    pub async fn close_user(
        &self,
        platform: &PlatformRecord,
        by: OperatorId,
        user: UserId,
    ) -> Result<(), StoresError> {
        let (call, origin) = call(by, platform);
        let permit = Permit { user, platform: platform.id, permission: Permission::Closed, origin };
        self.submit(call, permit).await?;
        Ok(())
    }

    /// Erases `user`: records the erasure, then destroys the user's keys (crypto-shredding). Other processes drop their
    /// cached keys within [`super::POLL_INTERVAL`].
    ///
    /// # Errors
    ///
    /// [`Refused`](crate::SubmitError::Refused) if the rules refuse it. After any other error the erasure may be
    /// recorded all the same; then the [`super::Eraser`] of any process destroys the keys.
    pub async fn erase_user(
        &self,
        platform: &PlatformRecord,
        by: OperatorId,
        user: UserId,
        reason: ErasureReason,
    ) -> Result<(), StoresError> {
        let Holdings { accounts, transactions, .. } = self.holdings(platform, user).await?;
        let (call, origin) = call(by, platform);
        let erase = Erase { user, platform: platform.id, reason, accounts, transactions, origin };
        self.submit(call, erase).await?;
        self.destroy(platform.shard, &[Uuid::from(user)]).await
    }

    /// Returns the accounts and transactions of `user`, at least as of this call. A user that is closed by then can
    /// start nothing new.
    async fn holdings(&self, platform: &PlatformRecord, user: UserId) -> Result<Holdings, StoresError> {
        let position = self.reads().aggregates().head(platform.shard).await?;
        let cursor = self.reads().store().caught_up(platform.shard, position, CATCH_UP_TIMEOUT).await?;
        if cursor < position {
            return Err(daybook_projector::Error::Behind { cursor, position }.into());
        }
        Ok(self.reads().lists().holdings(platform.shard, user).await?)
    }
}
