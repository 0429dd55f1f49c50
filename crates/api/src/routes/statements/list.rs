//! `GET /v3.1/users/{user_id}/statements` and `GET /v3.1/users/{user_id}/nodes/{node_id}/statements`

use actix_web::web;
use daybook_domain::{Currency, NodeId, UserId};
use daybook_engine::access::PlatformRecord;
use daybook_projector::StatementOwner;

use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::envelope::{List, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::page::Page;
use crate::path::InPath;
use crate::render;
use crate::wire::amount::OfCurrency;
use crate::wire::statement::{self, Owner, Summary};

/// Lists the account statements of all nodes of the user.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/statements", operation_id = "statements.list",
    responses((status = 200, body = List<Summary>)),
)]
pub async fn of_user(
    app: web::Data<App>,
    caller: Caller<scopes::NodesGet>,
    page: Page,
    currency: InQuery<OfCurrency>,
) -> Result<WithPosition<List<Summary>>, ApiError> {
    let OfCurrency { currency } = currency.values()?;
    listed(&app, &caller.platform, caller.user, StatementOwner::User(caller.user), currency, page).await
}

/// Lists the account statements of a node.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/statements", operation_id = "statements.node_list",
    responses((status = 200, body = List<Summary>)),
)]
pub async fn of_node(
    app: web::Data<App>,
    caller: Caller<scopes::NodeGet>,
    page: Page,
    path: InPath<NodeId>,
    currency: InQuery<OfCurrency>,
) -> Result<WithPosition<List<Summary>>, ApiError> {
    let node = path.ids()?;
    let OfCurrency { currency } = currency.values()?;
    render::account(&app, &caller.platform, caller.user, node, currency).await?;
    listed(&app, &caller.platform, caller.user, StatementOwner::Node(node), currency, page).await
}

async fn listed(
    app: &App,
    platform: &PlatformRecord,
    user: UserId,
    whose: StatementOwner,
    currency: Currency,
    page: Page,
) -> Result<WithPosition<List<Summary>>, ApiError> {
    let reads = &app.reads;
    let listed = reads.statements().list(platform.shard, platform.id, whose, currency, page.into()).await?;
    let owner = Owner { client_id: &platform.client_id, user, base_url: &app.base_url };
    let records = listed.items.iter().map(|found| statement::summary(found, owner)).collect();
    Ok(List { records, page, total: listed.total }.at(listed.position))
}
