//! `GET /v3.1/users/{user_id}/nodes/{node_id}/entries`

use actix_web::web;
use daybook_domain::NodeId;

use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::envelope::{List, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::page::Page;
use crate::path::InPath;
use crate::render;
use crate::wire::amount::OfCurrency;
use crate::wire::node::{self, Line};

/// Lists the entries of a node in one currency: every change of its balance, with the balance after it.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/entries", operation_id = "nodes.entries",
    responses((status = 200, body = List<Line>)),
)]
pub async fn entries(
    app: web::Data<App>,
    caller: Caller<scopes::NodeGet>,
    page: Page,
    path: InPath<NodeId>,
    currency: InQuery<OfCurrency>,
) -> Result<WithPosition<List<Line>>, ApiError> {
    let platform = &caller.platform;
    let OfCurrency { currency } = currency.values()?;
    let id = path.ids()?;
    let account = render::account(&app, platform, caller.user, id, currency).await?;
    let listed = app.reads.balances().entries_of(platform.shard, account, page.into()).await?;
    let records = listed.items.iter().filter_map(node::line).collect();
    Ok(List { records, page, total: listed.total }.at(listed.position))
}
