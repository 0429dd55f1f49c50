//! `GET /v3.1/users/{user_id}/nodes` and `GET /v3.1/nodes`

use actix_web::{HttpRequest, web};
use daybook_domain::node::NodeKind;

use crate::app::App;
use crate::auth::{Caller, Gateway, needs};
use crate::envelope::{At, Collection, List};
use crate::error::ApiError;
use crate::page::{Page, Query};
use crate::render;
use crate::wire::filter;
use crate::wire::node::Node;

/// Lists the user's active nodes, perhaps of one type only.
pub async fn of_user(
    app: web::Data<App>,
    caller: Caller<needs::NodesGet>,
    page: Page,
    request: HttpRequest,
) -> Result<At<List<Node>>, ApiError> {
    let (platform, user) = (&caller.platform, caller.user);
    let kind = kind(Query::of(&request))?;
    let listed = app.engine.reads().nodes_of_user(platform.shard, user, kind, page.into()).await?;
    let records = render::nodes(&app, platform, Some(user), &listed.items).await?;
    Ok(List { collection: Collection::Nodes, records, page, total: listed.total }.at(listed.position))
}

/// Lists the platform's active nodes, perhaps of one type only.
pub async fn of_platform(
    app: web::Data<App>,
    gateway: Gateway,
    page: Page,
    request: HttpRequest,
) -> Result<At<List<Node>>, ApiError> {
    let platform = &gateway.platform;
    let kind = kind(Query::of(&request))?;
    let listed = app.engine.reads().nodes_of_platform(platform.shard, platform.id, kind, page.into()).await?;
    let records = render::nodes(&app, platform, None, &listed.items).await?;
    Ok(List { collection: Collection::Nodes, records, page, total: listed.total }.at(listed.position))
}

/// Which type is asked for: `type` names it, or else `filter`.
fn kind(query: Query<'_>) -> Result<Option<NodeKind>, ApiError> {
    match query.text("type")?.filter(|name| !name.is_empty()) {
        Some(name) => {
            let kind = NodeKind::parse(&name).ok_or_else(|| ApiError::invalid("type", "is not a node type"));
            kind.map(Some)
        }
        None => filter::node_type(query),
    }
}
