//! Records of transactions: state and timeline from the stream, names from both sides.

use std::sync::Arc;

use daybook_domain::transaction::{self, Event as TransactionEvent, Party, Status};
use daybook_domain::{AttachmentId, Event, Key, NodeId, States, TransactionId, UserId};
use daybook_engine::access::PlatformRecord;
use daybook_engine::{Comment, NodeDetails, Profile, Submitted, TransactionDetails};
use daybook_projector::{Happened, Records, Timeline};
use daybook_vault::Class;

use super::{Opener, View};
use crate::app::App;
use crate::error::ApiError;
use crate::wire;
use crate::wire::transaction::{Names, TransactionView};

/// By whom a transaction is reached.
#[derive(Clone, Copy)]
pub(crate) enum By {
    /// By a user, whose are both sides or one.
    User(UserId),
    /// By a user, on the path of a node.
    Side {
        /// The caller.
        user: UserId,
        /// The node in the path.
        node: NodeId,
    },
    /// By its platform.
    Platform,
}

impl By {
    fn opens(self, platform: &PlatformRecord, transaction: &transaction::Transaction) -> bool {
        transaction.platform == platform.id
            && match self {
                Self::User(user) => visible_sides(transaction).any(|side| side.user() == Some(user)),
                Self::Side { user, node } => visible_sides(transaction)
                    .any(|side| side.user() == Some(user) && side.node() == Some(node)),
                Self::Platform => true,
            }
    }

    /// As whom it is looked at.
    fn viewer(self, transaction: &transaction::Transaction) -> UserId {
        match self {
            Self::User(user) | Self::Side { user, .. } => user,
            Self::Platform => transaction.subject,
        }
    }
}

/// The sides whose owners may look at it. The amount of a micro-deposit is what its receiver shall find out elsewhere.
fn visible_sides(transaction: &transaction::Transaction) -> impl Iterator<Item = Party> {
    let receiver = Some(transaction.to).filter(|_| !transaction.is_micro_deposit);
    [Some(transaction.from), receiver].into_iter().flatten()
}

/// Under whose keys boxes of the transaction are sealed.
pub(crate) async fn subject(
    app: &App,
    platform: &PlatformRecord,
    by: By,
    id: TransactionId,
) -> Result<UserId, ApiError> {
    let found = app.engine.reads().aggregates().records(platform.shard, &[id.into()]).await?;
    let transaction = found.transaction(id).filter(|transaction| by.opens(platform, transaction));
    transaction.map(|transaction| transaction.subject).ok_or(ApiError::NotFound)
}

/// Under whose keys boxes of the transaction are sealed, and the papers that came with it.
pub(super) async fn papers(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    by: By,
    id: TransactionId,
) -> Result<(UserId, Vec<AttachmentId>), ApiError> {
    let found = view.records(app, platform, &[id.into()]).await?;
    let transaction = found.transaction(id).filter(|transaction| by.opens(platform, transaction));
    let transaction = transaction.ok_or(ApiError::NotFound)?;
    Ok((transaction.subject, transaction.attachments.clone()))
}

/// The record of one transaction.
pub(crate) async fn transaction(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    by: By,
    id: TransactionId,
) -> Result<wire::transaction::Transaction, ApiError> {
    transactions(app, platform, view, by, &[id]).await?.pop().ok_or(ApiError::NotFound)
}

/// Where the transaction stands.
pub(crate) async fn status(
    app: &App,
    platform: &PlatformRecord,
    by: By,
    id: TransactionId,
) -> Result<Status, ApiError> {
    let found = app.engine.reads().aggregates().records(platform.shard, &[id.into()]).await?;
    let transaction = found.transaction(id).filter(|transaction| by.opens(platform, transaction));
    transaction.map(|transaction| transaction.status).ok_or(ApiError::NotFound)
}

/// The records of those of `ids` that may be looked at so, in the same order.
pub(crate) async fn transactions(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    by: By,
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

/// A transaction with the events that it is the fold of.
struct Stream {
    id: TransactionId,
    state: Arc<transaction::Transaction>,
    events: Timeline,
}

/// The streams of `ids` in the same order.
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

/// The record of a transaction that `done` made just now, as its `events` tell it; `details` were sealed for it.
pub(crate) async fn made(
    app: &App,
    platform: &PlatformRecord,
    done: &Submitted,
    (id, details): (TransactionId, &TransactionDetails),
    events: &[Happened],
) -> Result<wire::transaction::Transaction, ApiError> {
    let events: Vec<Happened> = events.iter().filter(|event| event.key == id.into()).cloned().collect();
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

fn fold(events: &[Happened]) -> Result<Option<Arc<transaction::Transaction>>, ApiError> {
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
        events: &[Happened],
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

    fn comments(&self, subject: UserId, events: &[Happened]) -> Result<Vec<Option<Comment>>, ApiError> {
        let read = |happened: &Happened| match &happened.event {
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
