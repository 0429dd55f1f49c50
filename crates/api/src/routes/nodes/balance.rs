//! `GET /v3.1/users/{user_id}/nodes/{node_id}/balance`

use actix_web::{HttpRequest, web};
use daybook_domain::NodeId;

use crate::app::App;
use crate::auth::{Caller, needs};
use crate::description::params::{AsOfDay, Currency};
use crate::envelope::{At, Record};
use crate::error::ApiError;
use crate::path::InPath;
use crate::query::Query;
use crate::render;
use crate::wire::amount;
use crate::wire::moment;
use crate::wire::node::{self, Balance};

/// Answers what a node holds, or held at a moment.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/balance", operation_id = "nodes.balance",
    params(AsOfDay, Currency),
    responses((status = 200, body = Record<Balance>)),
)]
pub async fn balance(
    app: web::Data<App>,
    caller: Caller<needs::NodeGet>,
    path: InPath<NodeId>,
    request: HttpRequest,
) -> Result<At<Record<Balance>>, ApiError> {
    let (platform, query) = (&caller.platform, Query::of(&request));
    let (currency, moment) = (amount::currency(query)?, moment::at(query, app.engine.clock().now())?);
    let id = path.ids()?;
    let account = render::account(&app, platform, caller.user, id, currency).await?;
    let found = app.engine.reads().balances().balance_at(platform.shard, account, moment).await?;
    let found = found.ok_or_else(moment::beyond)?;
    Ok(Record(node::balance(id, currency, &found)).at(found.position))
}
