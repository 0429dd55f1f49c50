//! `GET /v3.1/users/{user_id}/nodes`

use actix_web::{HttpRequest, web};
use daybook_domain::node::NodeKind;

use crate::app::App;
use crate::auth::{Caller, needs};
use crate::envelope::{At, Collection, List};
use crate::error::ApiError;
use crate::page::{Page, Query};
use crate::render;
use crate::wire::node::Node;

/// Lists the user's active nodes, perhaps of one type only.
pub async fn list(
    app: web::Data<App>,
    caller: Caller<needs::NodesGet>,
    page: Page,
    request: HttpRequest,
) -> Result<At<List<Node>>, ApiError> {
    let kind = Query::of(&request)
        .text("type")?
        .filter(|name| !name.is_empty())
        .map(|name| NodeKind::parse(&name).ok_or_else(|| ApiError::invalid("type", "is not a node type")))
        .transpose()?;
    let platform = &caller.platform;
    let listed = app.engine.reads().nodes_of_user(platform.shard, caller.user, kind, page.into()).await?;
    let records = render::nodes(&app, platform, caller.user, &listed.items).await?;
    Ok(List { collection: Collection::Nodes, records, page, total: listed.total }.at(listed.position))
}
