//! Answers of calls about nodes: one node, or a list of new nodes.

use daybook_domain::NodeId;
use daybook_engine::Submitted;

use crate::app::App;
use crate::auth::{Caller, RequiredScope};
use crate::deprecation::MaybeDeprecated;
use crate::envelope::{List, Record, WithPosition};
use crate::error::ApiError;
use crate::render::{self, View};
use crate::wire::node::Node;

/// Answer with one node.
pub(super) type Answer = Result<MaybeDeprecated<WithPosition<Record<Node>>>, ApiError>;

/// Answer with a list of nodes; marked as deprecated if one of them is.
pub(super) type Nodes = MaybeDeprecated<WithPosition<List<Node>>>;

/// Makes the answer with `list` at `position`.
pub(super) fn listed(list: List<Node>, position: u64) -> Nodes {
    let is_deprecated = list.records.iter().any(Node::is_deprecated);
    MaybeDeprecated { answer: list.at(position), is_deprecated }
}

/// Makes the answer with nodes that this call created, at `position`.
pub(super) fn made(records: Vec<Node>, position: u64) -> Nodes {
    listed(List::of_new(records), position)
}

/// Returns the caller's node in the state after `done` or later. `done` is `None` if the call changed nothing.
pub(super) async fn answer<N: RequiredScope>(
    app: &App,
    caller: &Caller<N>,
    id: NodeId,
    done: Option<&Submitted>,
) -> Answer {
    let platform = &caller.platform;
    let (view, position) = match done {
        Some(done) => (View::after(app, platform, done).await?, done.position),
        None => (
            View::unchanged(app, platform).await?,
            app.engine.reads().store().position(platform.shard).await?,
        ),
    };
    let mut nodes = render::nodes(app, platform, view, Some(caller.user), &[id]).await?;
    let node = nodes.pop().ok_or(ApiError::NotFound)?;
    let is_deprecated = node.is_deprecated();
    Ok(MaybeDeprecated { answer: Record(node).at(position), is_deprecated })
}
