//! `GET /v3.1/ops/platforms/{platform}/trial-balance`

use actix_web::web;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::{InPath, PlatformName};
use crate::wire::moment::Latest;
use crate::wire::ops::trial_balance::{self, TrialBalance};

/// Returns the trial balance of a platform: the sums of all its ledger accounts.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/trial-balance", operation_id = "ops.trial_balance",
    responses((status = 200, body = Record<TrialBalance>)),
)]
pub async fn trial_balance(
    app: web::Data<App>,
    _operator: Operator,
    path: InPath<PlatformName>,
    latest: InQuery<Latest>,
) -> Result<WithPosition<Record<TrialBalance>>, ApiError> {
    latest.values()?;
    let platform = path.ids()?.find(&app).await?;
    let (position, rows) = app.reads.balances().trial_balance(platform.shard, Some(platform.id)).await?;
    Ok(Record(trial_balance::render(&rows, position)).at(position))
}
