//! `GET /v3.1/users/{user_id}/nodes/{node_id}/balance`

use actix_web::web;
use daybook_domain::NodeId;

use crate::app::App;
use crate::auth::{Caller, scopes};
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::InPath;
use crate::render;
use crate::wire::amount::OfCurrency;
use crate::wire::moment::{self, AsOfDay};
use crate::wire::node::{self, Balance};

/// Returns the balance of a node, current or at an earlier moment.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/balance", operation_id = "nodes.balance",
    responses((status = 200, body = Record<Balance>)),
)]
pub async fn balance(
    app: web::Data<App>,
    caller: Caller<scopes::NodeGet>,
    path: InPath<NodeId>,
    as_of: InQuery<AsOfDay>,
    currency: InQuery<OfCurrency>,
) -> Result<WithPosition<Record<Balance>>, ApiError> {
    let platform = &caller.platform;
    let OfCurrency { currency } = currency.values()?;
    let moment = as_of.values()?.moment(app.engine.clock().now())?;
    let id = path.ids()?;
    let account = render::account(&app, platform, caller.user, id, currency).await?;
    let found = app.reads.balances().balance_at(platform.shard, account, moment).await?;
    let found = found.ok_or_else(moment::beyond)?;
    Ok(Record(node::balance(id, currency, &found)).at(found.position))
}
