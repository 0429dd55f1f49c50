//! `GET /v3.1/users/{user_id}/nodes/{node_id}/subnets`

use actix_web::web;
use daybook_domain::NodeId;

use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::envelope::{List, WithPosition};
use crate::error::ApiError;
use crate::page::Page;
use crate::path::InPath;
use crate::render::{self, View};
use crate::wire::subnet::Subnet;

/// Lists the subnets of a node of the user.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/subnets", operation_id = "subnets.list",
    responses((status = 200, body = List<Subnet>)),
)]
pub async fn list(
    app: web::Data<App>,
    caller: Caller<scopes::SubnetsGet>,
    page: Page,
    path: InPath<NodeId>,
) -> Result<WithPosition<List<Subnet>>, ApiError> {
    let (platform, user) = (&caller.platform, caller.user);
    let node = path.ids()?;
    render::own_node(&app, platform, user, node).await?;
    let listed = app.reads.lists().subnets_of_node(platform.shard, node, page.into()).await?;
    let view = View::now(&app, platform).await?;
    let records = render::subnets(&app, platform, view, user, node, &listed.items).await?;
    Ok(List { records, page, total: listed.total }.at(listed.position))
}
