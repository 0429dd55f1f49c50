//! Verification: what a user handed in is checked by whoever can tell whether it is true.

use std::collections::HashMap;

use daybook_domain::user::verify::Verify;
use daybook_domain::user::{SubDocumentStatus, User};
use daybook_domain::{AttachmentId, Command, Event, Key, Sealed, States, UserId, attachment};
use daybook_log::Shard;
use daybook_projector::Happened;

use super::Problem;
use super::perform::submit;
use crate::engine::Engine;
use crate::rails::identity::Identity;

/// Has the user's identity checked.
pub(super) async fn check(engine: &Engine, shard: Shard, id: UserId) -> Result<u64, Problem> {
    let found = engine.reads().records(shard, &[id.into()]).await?;
    let user = found.user(id).ok_or(Problem::Pointless)?;
    let images = images(engine, shard, user).await?;
    let identity = Identity { shard, id, documents: &user.documents, images: &images };
    let findings = engine.identity_check(user.platform).await?.check(identity).await?;
    submit(engine, Command::VerifyUser(Verify { user: id, findings })).await
}

/// The images that wait for their review.
async fn images(
    engine: &Engine,
    shard: Shard,
    user: &User,
) -> Result<HashMap<AttachmentId, Sealed>, Problem> {
    let parts = user.documents.iter().flat_map(|document| &document.parts);
    let waiting = parts.filter(|part| part.status == SubDocumentStatus::Reviewing);
    let keys: Vec<Key> = waiting.filter_map(|part| part.image.map(Key::from)).collect();
    let streams = engine.reads().timelines(shard, &keys).await?;
    let image = |happened: Happened| match happened.event {
        Event::Attachment(attachment::Event::Added(added)) => {
            Some((AttachmentId::from_u128(happened.key.id), added.contents?))
        }
        _ => None,
    };
    Ok(streams.into_values().flatten().filter_map(image).collect())
}
