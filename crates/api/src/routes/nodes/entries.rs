//! `GET /v3.1/users/{user_id}/nodes/{node_id}/entries`

use actix_web::{HttpRequest, web};
use daybook_domain::NodeId;

use crate::app::App;
use crate::auth::{Caller, needs};
use crate::description::params::Currency;
use crate::envelope::{At, List};
use crate::error::ApiError;
use crate::page::Page;
use crate::path::InPath;
use crate::query::Query;
use crate::render;
use crate::wire::amount;
use crate::wire::node::{self, Line};

/// Lists what was added to a node, step by step.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/entries", operation_id = "nodes.entries",
    params(Page, Currency),
    responses((status = 200, body = List<Line>)),
)]
pub async fn entries(
    app: web::Data<App>,
    caller: Caller<needs::NodeGet>,
    page: Page,
    path: InPath<NodeId>,
    request: HttpRequest,
) -> Result<At<List<Line>>, ApiError> {
    let platform = &caller.platform;
    let currency = amount::currency(Query::of(&request))?;
    let id = path.ids()?;
    let account = render::account(&app, platform, caller.user, id, currency).await?;
    let listed = app.engine.reads().balances().entries_of(platform.shard, account, page.into()).await?;
    let records = listed.items.iter().filter_map(node::line).collect();
    Ok(List { records, page, total: listed.total }.at(listed.position))
}
