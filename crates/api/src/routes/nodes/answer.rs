//! What calls about one node answer.

use daybook_domain::NodeId;

use crate::app::App;
use crate::auth::{Caller, Needs};
use crate::deprecation::MaybeDeprecated;
use crate::envelope::{At, Record};
use crate::error::ApiError;
use crate::render;
use crate::wire::node::Node;

/// The node, or why not.
pub(super) type Answer = Result<MaybeDeprecated<At<Record<Node>>>, ApiError>;

/// The caller's node as it is now, which is not before `position`.
pub(super) async fn answer<N: Needs>(app: &App, caller: &Caller<N>, id: NodeId, position: u64) -> Answer {
    let mut nodes = render::nodes(app, &caller.platform, Some(caller.user), &[id]).await?;
    let node = nodes.pop().ok_or(ApiError::NotFound)?;
    let is_deprecated = node.is_deprecated();
    Ok(MaybeDeprecated { answer: Record(node).at(position), is_deprecated })
}
