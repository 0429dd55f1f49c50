//! Records of transactions: state and timeline from the transaction's stream, names from both sides.

use std::sync::Arc;

use daybook_domain::transaction::{self, Event as TransactionEvent, Party, Status};
use daybook_domain::{AttachmentId, Event, Key, NodeId, States, TransactionId, UserId};
use daybook_engine::access::PlatformRecord;
use daybook_engine::{Comment, NodeDetails, Profile, Submitted, TransactionDetails};
use daybook_projector::{RecordedEvent, Records, Timeline};
use daybook_vault::Class;

use super::{Opener, View};
use crate::app::App;
use crate::error::ApiError;
use crate::wire;
use crate::wire::transaction::{Names, TransactionView};

/// Caller that reads a transaction.
#[derive(Clone, Copy)]
pub(crate) enum Viewer {
    /// A user who owns at least one side.
    User(UserId),
    /// A user, with a node in the path that must be one of the user's sides.
    Side {
        /// Id of the user.
        user: UserId,
        /// Node in the path.
        node: NodeId,
    },
    /// The platform of the transaction.
    Platform,
}

impl Viewer {
    fn opens(self, platform: &PlatformRecord, transaction: &transaction::Transaction) -> bool {
        transaction.platform == platform.id
            && match self {
                Self::User(user) => visible_sides(transaction).any(|side| side.user() == Some(user)),
                Self::Side { user, node } => visible_sides(transaction)
                    .any(|side| side.user() == Some(user) && side.node() == Some(node)),
                Self::Platform => true,
            }
    }

    /// Returns the user from whose point of view the transaction is shown.
    fn viewer(self, transaction: &transaction::Transaction) -> UserId {
        match self {
            Self::User(user) | Self::Side { user, .. } => user,
            Self::Platform => transaction.subject,
        }
    }
}

/// Returns the sides whose owners may read the transaction. The receiver of a micro-deposit may not, because its amount
/// is what the receiver has to prove.
fn visible_sides(transaction: &transaction::Transaction) -> impl Iterator<Item = Party> {
    let receiver = Some(transaction.to).filter(|_| !transaction.is_micro_deposit);
    [Some(transaction.from), receiver].into_iter().flatten()
}

/// Returns the user under whose keys the boxes of the transaction are sealed.
pub(crate) async fn subject(
    app: &App,
    platform: &PlatformRecord,
    by: Viewer,
    id: TransactionId,
) -> Result<UserId, ApiError> {
    let found = app.engine.reads().aggregates().records(platform.shard, &[id.into()]).await?;
    let transaction = found.transaction(id).filter(|transaction| by.opens(platform, transaction));
    transaction.map(|transaction| transaction.subject).ok_or(ApiError::NotFound)
}

/// Returns the user under whose keys the boxes of the transaction are sealed, and the ids of its attachments.
pub(super) async fn attachments(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    by: Viewer,
    id: TransactionId,
) -> Result<(UserId, Vec<AttachmentId>), ApiError> {
    let found = view.records(app, platform, &[id.into()]).await?;
    let transaction = found.transaction(id).filter(|transaction| by.opens(platform, transaction));
    let transaction = transaction.ok_or(ApiError::NotFound)?;
    Ok((transaction.subject, transaction.attachments.clone()))
}

/// Returns the record of one transaction.
pub(crate) async fn transaction(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    by: Viewer,
    id: TransactionId,
) -> Result<wire::transaction::Transaction, ApiError> {
    transactions(app, platform, view, by, &[id]).await?.pop().ok_or(ApiError::NotFound)
}

/// Returns the status of the transaction.
pub(crate) async fn status(
    app: &App,
    platform: &PlatformRecord,
    by: Viewer,
    id: TransactionId,
) -> Result<Status, ApiError> {
    let found = app.engine.reads().aggregates().records(platform.shard, &[id.into()]).await?;
    let transaction = found.transaction(id).filter(|transaction| by.opens(platform, transaction));
    transaction.map(|transaction| transaction.status).ok_or(ApiError::NotFound)
}

/// Returns the records of the transactions among `ids` that the caller may read, in the same order.
pub(crate) async fn transactions(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    by: Viewer,
    ids: &[TransactionId],
) -> Result<Vec<wire::transaction::Transaction>, ApiError> {
    let mut streams = streams(app, platform, view, ids).await?;
    streams.retain(|stream| by.opens(platform, &stream.state));
    let sides: Vec<Key> = streams.iter().flat_map(|stream| side_keys(&stream.state)).collect();
    let found = view.records(app, platform, &sides).await?;
    let subjects = streams.iter().flat_map(|stream| subjects(&stream.state));
    let opener = Opener::new(app, platform, &found, subjects).await?;
    let render = |Stream { id, state, events }: &Stream| {
        let details = opener.open(state.subject, Class::Profile, state.details.as_ref())?;
        opener.transaction((*id, state), &details, by.viewer(state), events)
    };
    streams.iter().map(render).collect()
}

/// A transaction with the events of its stream.
struct Stream {
    id: TransactionId,
    state: Arc<transaction::Transaction>,
    events: Timeline,
}

/// Reads the streams of `ids`, in the same order.
async fn streams(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    ids: &[TransactionId],
) -> Result<Vec<Stream>, ApiError> {
    let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
    let mut timelines = view.timelines(app, platform, &keys).await?;
    let events = ids.iter().filter_map(|id| Some((*id, timelines.remove(&Key::from(*id))?)));
    events
        .filter_map(|(id, events)| Some(fold(&events).transpose()?.map(|state| Stream { id, state, events })))
        .collect()
}

/// Returns the record of a transaction that `done` created, from its `events` alone; `details` are its unsealed
/// details.
pub(crate) async fn made(
    app: &App,
    platform: &PlatformRecord,
    done: &Submitted,
    (id, details): (TransactionId, &TransactionDetails),
    events: &[RecordedEvent],
) -> Result<wire::transaction::Transaction, ApiError> {
    let events: Vec<RecordedEvent> = events.iter().filter(|event| event.key == id.into()).cloned().collect();
    let state = fold(&events)?.ok_or(ApiError::NotFound)?;
    let sides = side_keys(&state);
    let is_known = |key: &Key| done.state(*key).is_some();
    let looked_up: Records;
    let states: &(dyn States + Sync) = if sides.iter().all(is_known) {
        done
    } else {
        looked_up = Box::pin(app.engine.reads().aggregates().records(platform.shard, &sides)).await?;
        &looked_up
    };
    let opener = Opener::new(app, platform, states, subjects(&state)).await?;
    opener.transaction((id, &state), details, state.subject, &events)
}

fn fold(events: &[RecordedEvent]) -> Result<Option<Arc<transaction::Transaction>>, ApiError> {
    match daybook_projector::fold(None, events)?.map(|folded| folded.state) {
        Some(daybook_domain::State::Transaction(transaction)) => Ok(Some(transaction)),
        _ => Ok(None),
    }
}

fn side_keys(state: &transaction::Transaction) -> Vec<Key> {
    let keys = |side: &Party| [side.node().map(Key::from), side.user().map(Key::from)];
    [state.from, state.to].iter().flat_map(keys).flatten().collect()
}

fn subjects(state: &transaction::Transaction) -> impl Iterator<Item = UserId> {
    [state.from.user(), state.to.user(), Some(state.subject)].into_iter().flatten()
}

impl Opener<'_> {
    fn transaction(
        &self,
        (id, state): (TransactionId, &transaction::Transaction),
        details: &TransactionDetails,
        viewer: UserId,
        events: &[RecordedEvent],
    ) -> Result<wire::transaction::Transaction, ApiError> {
        let comments = self.comments(state.subject, events)?;
        let (from, to) = (self.side(&state.from)?, self.side(&state.to)?);
        Ok(wire::transaction::render(&TransactionView {
            id,
            viewer,
            transaction: state,
            details,
            events,
            comments: &comments,
            from: Names { nickname: &from.0.nickname, legal_names: &from.1.legal_names },
            to: Names { nickname: &to.0.nickname, legal_names: &to.1.legal_names },
            client: &self.client,
            base_url: self.base_url,
        }))
    }

    fn side(&self, side: &Party) -> Result<(Arc<NodeDetails>, Arc<Profile>), ApiError> {
        match side {
            Party::Node { id, user, .. } => Ok((self.details(*id)?, self.profile(*user)?)),
            Party::Outside { .. } => Ok((Arc::default(), Arc::default())),
        }
    }

    fn comments(&self, subject: UserId, events: &[RecordedEvent]) -> Result<Vec<Option<Comment>>, ApiError> {
        let read = |happened: &RecordedEvent| match &happened.event {
            Event::Transaction(TransactionEvent::Commented(commented)) => Some(
                commented
                    .comment
                    .as_ref()
                    .map(|sealed| self.open(subject, Class::Profile, Some(sealed)))
                    .transpose(),
            ),
            _ => None,
        };
        events.iter().filter_map(read).collect()
    }
}
