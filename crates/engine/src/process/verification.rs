//! Verification: the identity provider checks a user's documents.

use daybook_domain::user::verify::Verify;
use daybook_domain::{Refusal, States, UserId, user};
use daybook_log::Shard;

use super::outcome::{ToDoError, submit};
use crate::SubmitError;
use crate::engine::Engine;
use crate::rails::identity::{Identity, Images};

/// Has the user's identity checked. Documents that changed meanwhile are not covered; their own to-do follows.
pub(super) async fn check(engine: &Engine, shard: Shard, id: UserId) -> Result<u64, ToDoError> {
    let found = engine.reads().aggregates().records(shard, &[id.into()]).await?;
    let user = found.user(id).ok_or(ToDoError::MissingAggregate)?;
    let (documents, images) = (&user.documents[..], Images::new(engine.reads(), shard));
    let identity = Identity { shard, id, documents, images };
    let findings = engine.identity_check(user.platform).await?.check(identity).await?;
    let verify = Verify { user: id, revision: user.revision, findings };
    match submit(engine, shard, verify).await {
        Err(ToDoError::Submit(SubmitError::Refused(Refusal::User(user::Refusal::Stale)))) => {
            Err(ToDoError::NotReady)
        }
        answered => answered,
    }
}
