//! `GET /v3.1/users/{user_id}/nodes/{node_id}/explain`

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
use crate::wire::node::{self, Explanation};

/// The most entries that an explanation tells.
const MAX_ENTRIES: u32 = 100;

/// Answers a balance with the newest entries that made it.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/explain", operation_id = "nodes.explain",
    params(AsOfDay, Currency),
    responses((status = 200, body = Record<Explanation>)),
)]
pub async fn explain(
    app: web::Data<App>,
    caller: Caller<needs::NodeGet>,
    path: InPath<NodeId>,
    request: HttpRequest,
) -> Result<At<Record<Explanation>>, ApiError> {
    let (platform, query) = (&caller.platform, Query::of(&request));
    let (currency, moment) = (amount::currency(query)?, moment::at(query, app.engine.clock().now())?);
    let id = path.ids()?;
    let account = render::account(&app, platform, caller.user, id, currency).await?;
    let found = app.engine.reads().balances().explain(platform.shard, account, moment, MAX_ENTRIES).await?;
    let found = found.ok_or_else(moment::beyond)?;
    Ok(Record(node::explanation(id, currency, &found)).at(found.balance.position))
}
