//! `GET /v3.1/users/{user_id}/nodes/{node_id}/explain`

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
use crate::wire::node::{self, Explanation};

/// Maximum number of entries in an explanation.
const MAX_ENTRIES: u32 = 100;

/// Returns a balance with the newest entries that produced it, at most 100.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}/nodes/{node_id}/explain", operation_id = "nodes.explain",
    responses((status = 200, body = Record<Explanation>)),
)]
pub async fn explain(
    app: web::Data<App>,
    caller: Caller<scopes::NodeGet>,
    path: InPath<NodeId>,
    as_of: InQuery<AsOfDay>,
    currency: InQuery<OfCurrency>,
) -> Result<WithPosition<Record<Explanation>>, ApiError> {
    let platform = &caller.platform;
    let OfCurrency { currency } = currency.values()?;
    let moment = as_of.values()?.moment(app.engine.clock().now())?;
    let id = path.ids()?;
    let account = render::account(&app, platform, caller.user, id, currency).await?;
    let found = app.reads.balances().explain(platform.shard, account, moment, MAX_ENTRIES).await?;
    let found = found.ok_or_else(moment::beyond)?;
    Ok(Record(node::explanation(id, currency, &found)).at(found.balance.position))
}
