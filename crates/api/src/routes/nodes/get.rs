//! `GET /v3.1/users/{user_id}/nodes/{node_id}`

use actix_web::{HttpRequest, web};
use daybook_domain::NodeId;

use crate::app::App;
use crate::auth::{Caller, needs};
use crate::deprecation::MaybeDeprecated;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::path;
use crate::render;
use crate::wire::node::Node;

/// Answers a node of the user, be it in the lists or not.
pub async fn get(
    app: web::Data<App>,
    caller: Caller<needs::NodeGet>,
    request: HttpRequest,
) -> Result<MaybeDeprecated<Record<Node>>, ApiError> {
    let id: NodeId = path::id(&request, "node_id")?;
    let mut nodes = render::nodes(&app, &caller.platform, Some(caller.user), &[id]).await?;
    let node = nodes.pop().ok_or(ApiError::NotFound)?;
    Ok(MaybeDeprecated { is_deprecated: node.is_deprecated(), answer: Record(node) })
}
