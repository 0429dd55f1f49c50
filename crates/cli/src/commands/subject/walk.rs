//! Iterates over all streams that contain a box about a person, or in which the person has a part.

use std::collections::HashSet;

use daybook_domain::{
    AttachmentId, Event, Key, NodeId, TransactionId, UserId, attachment, transaction, user,
};
use daybook_log::Shard;
use daybook_projector::{Page, Reads, RecordedEvent, Timeline};

use crate::error::Error;

/// Number of streams that are read together.
const STREAMS_PER_READ: u32 = 100;

/// Passes the events of each stream to `show`: of the user, its nodes, their subnets, its transactions, and the
/// attachments of all of them. Read models provide the lists of nodes and transactions.
pub(super) async fn walk(
    reads: &Reads,
    shard: Shard,
    id: UserId,
    mut show: impl AsyncFnMut(Key, Timeline) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut walk = Walk { reads, shard, files: HashSet::new() };
    walk.streams(&[id.into()], &mut show).await?;
    let nodes = reads.lists().holdings(shard, id).await?.nodes;
    for some in nodes.chunks(STREAMS_PER_READ as usize) {
        walk.streams(&some.iter().map(|node| Key::from(*node)).collect::<Vec<_>>(), &mut show).await?;
    }
    for node in nodes {
        walk.subnets(node, &mut show).await?;
    }
    for number in 1.. {
        let page = Page { number, size: STREAMS_PER_READ };
        let listed = reads.lists().transactions_of_user(shard, id, None, page).await?.items;
        let keys: Vec<Key> = listed.iter().map(|id: &TransactionId| Key::from(*id)).collect();
        walk.streams(&keys, &mut show).await?;
        if listed.len() < STREAMS_PER_READ as usize {
            return Ok(());
        }
    }
    Ok(())
}

struct Walk<'a> {
    reads: &'a Reads,
    shard: Shard,
    /// Attachments that were shown already. A document names its images again in each change.
    files: HashSet<AttachmentId>,
}

impl Walk<'_> {
    async fn streams(
        &mut self,
        keys: &[Key],
        show: &mut impl AsyncFnMut(Key, Timeline) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut timelines = self.reads.aggregates().timelines(self.shard, keys).await?;
        for key in keys {
            let events = timelines.remove(key).unwrap_or_default();
            let files: Vec<_> = events.iter().flat_map(|happened| files(&happened.event)).collect();
            show(*key, events).await?;
            for file in files {
                if self.files.insert(file) {
                    // One at a time, because an attachment can have megabytes.
                    let key = Key::from(file);
                    let mut found = self.reads.aggregates().timelines(self.shard, &[key]).await?;
                    show(key, found.remove(&key).unwrap_or_default()).await?;
                }
            }
        }
        Ok(())
    }

    async fn subnets(
        &mut self,
        node: NodeId,
        show: &mut impl AsyncFnMut(Key, Timeline) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for number in 1.. {
            let page = Page { number, size: STREAMS_PER_READ };
            let listed = self.reads.lists().subnets_of_node(self.shard, node, page).await?.items;
            let keys: Vec<Key> = listed.iter().map(|id| Key::from(*id)).collect();
            self.streams(&keys, show).await?;
            if listed.len() < STREAMS_PER_READ as usize {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Attachments that an event names.
fn files(event: &Event) -> Vec<AttachmentId> {
    let of = |parts: &[user::Part]| parts.iter().filter_map(|part| part.image).collect();
    match event {
        Event::User(user::Event::DocumentAdded(added)) => of(&added.parts),
        Event::User(user::Event::DocumentChanged(changed)) => of(&changed.parts),
        Event::Transaction(transaction::Event::Created(created)) => created.attachments.clone(),
        _ => vec![],
    }
}

/// The user under whose keys the boxes of a stream are sealed, according to its first event.
pub(super) fn subject(key: Key, events: &[RecordedEvent]) -> Option<UserId> {
    match &events.first()?.event {
        Event::User(_) => Some(UserId::from_u128(key.id)),
        Event::Node(daybook_domain::node::Event::Created(created)) => Some(created.user),
        Event::Subnet(daybook_domain::subnet::Event::Created(created)) => Some(created.user),
        Event::Transaction(transaction::Event::Created(created)) => Some(created.subject),
        Event::Attachment(attachment::Event::Added(added)) => {
            added.evidence.is_none().then_some(added.subject)
        }
        _ => None,
    }
}
