//! What calls about nodes answer: one, or those that were just made.

use daybook_domain::NodeId;
use daybook_engine::Submitted;

use crate::app::App;
use crate::auth::{Caller, Needs};
use crate::deprecation::MaybeDeprecated;
use crate::envelope::{At, List, Record};
use crate::error::ApiError;
use crate::render::{self, View};
use crate::wire::node::Node;

/// The node, or why not.
pub(super) type Answer = Result<MaybeDeprecated<At<Record<Node>>>, ApiError>;

/// A list of nodes; deprecated if one of them is.
pub(super) type Nodes = MaybeDeprecated<At<List<Node>>>;

/// The list at `position`.
pub(super) fn listed(list: List<Node>, position: u64) -> Nodes {
    let is_deprecated = list.records.iter().any(Node::is_deprecated);
    MaybeDeprecated { answer: list.at(position), is_deprecated }
}

/// The list of nodes that were just made, at `position`.
pub(super) fn made(records: Vec<Node>, position: u64) -> Nodes {
    listed(List::of_new(records), position)
}

/// The caller's node as `done` left it or later; nothing was done if it was so already.
pub(super) async fn answer<N: Needs>(
    app: &App,
    caller: &Caller<N>,
    id: NodeId,
    done: Option<&Submitted>,
) -> Answer {
    let platform = &caller.platform;
    let (view, position) = match done {
        Some(done) => (View::after(app, platform, done).await?, done.position),
        None => (View::now(app, platform).await?, app.engine.reads().store().position(platform.shard).await?),
    };
    let mut nodes = render::nodes(app, platform, view, Some(caller.user), &[id]).await?;
    let node = nodes.pop().ok_or(ApiError::NotFound)?;
    let is_deprecated = node.is_deprecated();
    Ok(MaybeDeprecated { answer: Record(node).at(position), is_deprecated })
}
