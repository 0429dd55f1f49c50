//! `GET /v3.1/users/{user_id}/nodes/{node_id}`

use actix_web::web;
use daybook_domain::NodeId;

use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::deprecation::MaybeDeprecated;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::InPath;
use crate::render::{self, View};
use crate::wire::moment::AsOf;
use crate::wire::node::Node;

/// Returns a node of the user, current or at an earlier moment. Deleted nodes are returned as well.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}", operation_id = "nodes.get",
    responses((status = 200, body = Record<Node>)),
)]
pub async fn get(
    app: web::Data<App>,
    caller: Caller<scopes::NodeGet>,
    path: InPath<NodeId>,
    as_of: InQuery<AsOf>,
) -> Result<MaybeDeprecated<WithPosition<Record<Node>>>, ApiError> {
    let id = path.ids()?;
    let platform = &caller.platform;
    let view = View::asked(&app, platform, as_of).await?;
    let mut nodes = render::nodes(&app, platform, view, Some(caller.user), &[id]).await?;
    let node = nodes.pop().ok_or(ApiError::NotFound)?;
    let is_deprecated = node.is_deprecated();
    Ok(MaybeDeprecated { answer: Record(node).at(view.position()), is_deprecated })
}
