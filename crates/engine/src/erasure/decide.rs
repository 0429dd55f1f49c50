//! What an operator asks for: to keep a user's records, and to erase a user.

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

/// How long read models may take to come to where the user was closed.
const PATIENCE: Duration = Duration::from_secs(30);

/// How an operator's command is told to the writer.
fn call(by: OperatorId) -> (Call, Origin) {
    let actor = Actor::Operator(by);
    (Call { actor, ..Call::default() }, Origin::of(actor))
}

impl Engine {
    /// Keeps the records of `user` until then, sets a legal hold or ends it; what is not said stays.
    ///
    /// # Errors
    ///
    /// [`Refused`](crate::SubmitError::Refused) if the rules say no.
    pub async fn retain_user(
        &self,
        platform: &PlatformRecord,
        by: OperatorId,
        user: UserId,
        until: Option<Timestamp>,
        hold: HoldChange,
    ) -> Result<(), StoresError> {
        let (call, origin) = call(by);
        let retain = Retain { user, platform: platform.id, until, hold, origin };
        self.submit(call, retain).await?;
        Ok(())
    }

    /// Closes `user` for good, as must be before it can be erased.
    ///
    /// # Errors
    ///
    /// [`Refused`](crate::SubmitError::Refused) if the rules say no.
    pub async fn close_user(
        &self,
        platform: &PlatformRecord,
        by: OperatorId,
        user: UserId,
    ) -> Result<(), StoresError> {
        let (call, origin) = call(by);
        let permit = Permit { user, platform: platform.id, permission: Permission::Closed, origin };
        self.submit(call, permit).await?;
        Ok(())
    }

    /// Erases `user`: records it, and destroys its keys here. Other processes forget them within
    /// [`super::LOOK_EVERY`].
    ///
    /// # Errors
    ///
    /// [`Refused`](crate::SubmitError::Refused) if the rules say no. After any other error it may be recorded all the same: then the keys
    /// are destroyed by whoever sees it.
    pub async fn erase_user(
        &self,
        platform: &PlatformRecord,
        by: OperatorId,
        user: UserId,
        reason: ErasureReason,
    ) -> Result<(), StoresError> {
        let Holdings { accounts, transactions, .. } = self.holdings(platform, user).await?;
        let (call, origin) = call(by);
        let erase = Erase { user, platform: platform.id, reason, accounts, transactions, origin };
        self.submit(call, erase).await?;
        self.destroy(platform.shard, &[Uuid::from(user)]).await
    }

    /// What `user` has, of no moment before this call: who was closed by then begins nothing any more.
    async fn holdings(&self, platform: &PlatformRecord, user: UserId) -> Result<Holdings, StoresError> {
        let position = self.reads().aggregates().head(platform.shard).await?;
        let cursor = self.reads().store().caught_up(platform.shard, position, PATIENCE).await?;
        if cursor < position {
            return Err(daybook_projector::Error::Behind { cursor, position }.into());
        }
        Ok(self.reads().lists().holdings(platform.shard, user).await?)
    }
}
