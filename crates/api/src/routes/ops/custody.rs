//! `GET /v3.1/ops/platforms/{platform}/custody`

use actix_web::web;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::{InPath, PlatformName};
use crate::wire::moment::Latest;
use crate::wire::ops::custody::{self, Custody};

/// Returns both sides of a platform's safeguarding reconciliation (custody identity) per currency: money at the bank
/// and money owed.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/custody", operation_id = "ops.custody",
    responses((status = 200, body = Record<Custody>)),
)]
pub async fn custody(
    app: web::Data<App>,
    _operator: Operator,
    path: InPath<PlatformName>,
    latest: InQuery<Latest>,
) -> Result<WithPosition<Record<Custody>>, ApiError> {
    latest.values()?;
    let platform = path.ids()?.find(&app).await?;
    let (position, rows) = app.reads.balances().trial_balance(platform.shard, Some(platform.id)).await?;
    let rows = daybook_projector::custody(&rows);
    Ok(Record(custody::render(&rows, position)).at(position))
}
