//! `GET /v3.1/users/{user_id}/nodes` and `GET /v3.1/nodes`

use actix_web::web;
use daybook_engine::access::PlatformRecord;

use super::answer::{self, Nodes};
use crate::app::App;
use crate::auth::{Caller, Gateway, scopes};
use crate::envelope::List;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::page::Page;
use crate::render::{self, View};
use crate::wire::filter::{NodeFilter, OfType};
use crate::wire::node::Node;

/// Lists the user's active nodes, optionally of one type only.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes", operation_id = "nodes.list",
    responses((status = 200, body = List<Node>)),
)]
pub async fn of_user(
    app: web::Data<App>,
    caller: Caller<scopes::NodesGet>,
    page: Page,
    filter: InQuery<NodeFilter>,
) -> Result<Nodes, ApiError> {
    let (platform, user) = (&caller.platform, caller.user);
    let kind = match filter.values()?.of_type() {
        OfType::Any => None,
        OfType::Only(kind) => Some(kind),
        OfType::Unknown => return none(&app, platform, page).await,
    };
    let listed = app.reads.lists().nodes_of_user(platform.shard, user, kind, page.into()).await?;
    let view = View::now(&app, platform).await?;
    let records = render::nodes(&app, platform, view, Some(user), &listed.items).await?;
    let list = List { records, page, total: listed.total };
    Ok(answer::listed(list, listed.position))
}

/// Lists the platform's active nodes, optionally of one type only.
#[utoipa::path(
    get, path = "/v3.1/nodes", operation_id = "nodes.platform_list",
    responses((status = 200, body = List<Node>)),
)]
pub async fn of_platform(
    app: web::Data<App>,
    gateway: Gateway,
    page: Page,
    filter: InQuery<NodeFilter>,
) -> Result<Nodes, ApiError> {
    let platform = &gateway.platform;
    let kind = match filter.values()?.of_type() {
        OfType::Any => None,
        OfType::Only(kind) => Some(kind),
        OfType::Unknown => return none(&app, platform, page).await,
    };
    let listed = app.reads.lists().nodes_of_platform(platform.shard, platform.id, kind, page.into()).await?;
    let view = View::now(&app, platform).await?;
    let records = render::nodes(&app, platform, view, None, &listed.items).await?;
    let list = List { records, page, total: listed.total };
    Ok(answer::listed(list, listed.position))
}

/// Returns an empty page at the current position.
async fn none(app: &App, platform: &PlatformRecord, page: Page) -> Result<Nodes, ApiError> {
    let position = app.reads.store().position(platform.shard).await?;
    Ok(answer::listed(List { records: vec![], page, total: 0 }, position))
}
