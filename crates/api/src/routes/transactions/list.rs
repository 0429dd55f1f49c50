//! `GET /v3.1/users/{user_id}/trans`, `GET /v3.1/users/{user_id}/nodes/{node_id}/trans` and `GET /v3.1/trans`

use actix_web::web;
use daybook_domain::{NodeId, TransactionId};
use daybook_engine::access::PlatformRecord;
use daybook_projector::Listed;

use crate::app::App;
use crate::auth::{Caller, Gateway, scopes};
use crate::envelope::{List, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::page::Page;
use crate::path::InPath;
use crate::render::{self, View, Viewer};
use crate::wire::filter::StatusFilter;
use crate::wire::transaction::Transaction;

/// Answer with a page of transactions.
type Answer = Result<WithPosition<List<Transaction>>, ApiError>;

/// Lists the transactions in which the user is the sender or the receiver.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/trans", operation_id = "trans.list",
    responses((status = 200, body = List<Transaction>)),
)]
pub async fn of_user(
    app: web::Data<App>,
    caller: Caller<scopes::TransGet>,
    page: Page,
    filter: InQuery<StatusFilter>,
) -> Answer {
    let (platform, user) = (&caller.platform, caller.user);
    let StatusFilter { filter: status } = filter.values()?;
    let listed = app.reads.lists().transactions_of_user(platform.shard, user, status, page.into()).await?;
    answer(&app, platform, Viewer::User(user), page, listed).await
}

/// Lists the transactions in which a node of the user is the sender or the receiver.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/trans", operation_id = "trans.node_list",
    responses((status = 200, body = List<Transaction>)),
)]
pub async fn of_node(
    app: web::Data<App>,
    caller: Caller<scopes::TransGet>,
    page: Page,
    path: InPath<NodeId>,
    filter: InQuery<StatusFilter>,
) -> Answer {
    let (platform, user) = (&caller.platform, caller.user);
    let StatusFilter { filter: status } = filter.values()?;
    let node = path.ids()?;
    render::own_node(&app, platform, user, node).await?;
    let listed = app.reads.lists().transactions_of_node(platform.shard, node, status, page.into()).await?;
    answer(&app, platform, Viewer::Side { user, node }, page, listed).await
}

/// Lists the transactions of the platform.
#[utoipa::path(
    get, path = "/v3.1/trans", operation_id = "trans.platform_list",
    responses((status = 200, body = List<Transaction>)),
)]
pub async fn of_platform(
    app: web::Data<App>,
    gateway: Gateway,
    page: Page,
    filter: InQuery<StatusFilter>,
) -> Answer {
    let platform = &gateway.platform;
    let StatusFilter { filter: status } = filter.values()?;
    let listed =
        app.reads.lists().transactions_of_platform(platform.shard, platform.id, status, page.into()).await?;
    answer(&app, platform, Viewer::Platform, page, listed).await
}

async fn answer(
    app: &App,
    platform: &PlatformRecord,
    by: Viewer,
    page: Page,
    listed: Listed<TransactionId>,
) -> Answer {
    let view = View::now(app, platform).await?;
    let records = render::transactions(app, platform, view, by, &listed.items).await?;
    Ok(List { records, page, total: listed.total }.at(listed.position))
}
