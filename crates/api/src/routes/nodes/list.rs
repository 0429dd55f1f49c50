//! `GET /v3.1/users/{user_id}/nodes` and `GET /v3.1/nodes`

use actix_web::{HttpRequest, web};
use daybook_domain::node::NodeKind;
use daybook_engine::access::PlatformRecord;

use super::answer::{self, Nodes};
use crate::app::App;
use crate::auth::{Caller, Gateway, needs};
use crate::description::params::NodeFilter;
use crate::envelope::List;
use crate::error::ApiError;
use crate::page::Page;
use crate::query::Query;
use crate::render::{self, View};
use crate::wire::filter;
use crate::wire::node::Node;

/// Lists the user's active nodes, perhaps of one type only.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes", operation_id = "nodes.list",
    params(Page, NodeFilter),
    responses((status = 200, body = List<Node>)),
)]
pub async fn of_user(
    app: web::Data<App>,
    caller: Caller<needs::NodesGet>,
    page: Page,
    request: HttpRequest,
) -> Result<Nodes, ApiError> {
    let (platform, user) = (&caller.platform, caller.user);
    let kind = match wanted(Query::of(&request))? {
        Wanted::Any => None,
        Wanted::Only(kind) => Some(kind),
        Wanted::Unknown => return none(&app, platform, page).await,
    };
    let listed = app.engine.reads().lists().nodes_of_user(platform.shard, user, kind, page.into()).await?;
    let view = View::now(&app, platform).await?;
    let records = render::nodes(&app, platform, view, Some(user), &listed.items).await?;
    let list = List { records, page, total: listed.total };
    Ok(answer::listed(list, listed.position))
}

/// Lists the platform's active nodes, perhaps of one type only.
#[utoipa::path(
    get, path = "/v3.1/nodes", operation_id = "nodes.platform_list",
    params(Page, NodeFilter),
    responses((status = 200, body = List<Node>)),
)]
pub async fn of_platform(
    app: web::Data<App>,
    gateway: Gateway,
    page: Page,
    request: HttpRequest,
) -> Result<Nodes, ApiError> {
    let platform = &gateway.platform;
    let kind = match wanted(Query::of(&request))? {
        Wanted::Any => None,
        Wanted::Only(kind) => Some(kind),
        Wanted::Unknown => return none(&app, platform, page).await,
    };
    let listed =
        app.engine.reads().lists().nodes_of_platform(platform.shard, platform.id, kind, page.into()).await?;
    let view = View::now(&app, platform).await?;
    let records = render::nodes(&app, platform, view, None, &listed.items).await?;
    let list = List { records, page, total: listed.total };
    Ok(answer::listed(list, listed.position))
}

/// No nodes, as of now.
async fn none(app: &App, platform: &PlatformRecord, page: Page) -> Result<Nodes, ApiError> {
    let position = app.engine.reads().store().position(platform.shard).await?;
    Ok(answer::listed(List { records: vec![], page, total: 0 }, position))
}

/// Which types are asked for.
enum Wanted {
    /// All.
    Any,
    /// One.
    Only(NodeKind),
    /// One that there is not: clients of the original service know more of them.
    Unknown,
}

/// What is asked for: `type` names it, or else `filter`.
fn wanted(query: Query<'_>) -> Result<Wanted, ApiError> {
    match query.text("type")?.filter(|name| !name.is_empty()) {
        Some(name) => Ok(NodeKind::parse(&name).map_or(Wanted::Unknown, Wanted::Only)),
        None => Ok(filter::node_type(query)?.map_or(Wanted::Any, Wanted::Only)),
    }
}
