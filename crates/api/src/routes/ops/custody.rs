//! `GET /v3.1/ops/platforms/{platform}/custody`

use actix_web::{HttpRequest, web};

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::{At, Record};
use crate::error::ApiError;
use crate::path::{InPath, PlatformName};
use crate::query::Query;
use crate::wire::moment;
use crate::wire::ops::custody::{self, Custody};

/// Answers both sides of the custody identity of a platform, per currency.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/custody", operation_id = "ops.custody",
    responses((status = 200, body = Record<Custody>)),
)]
pub async fn custody(
    app: web::Data<App>,
    _operator: Operator,
    path: InPath<PlatformName>,
    request: HttpRequest,
) -> Result<At<Record<Custody>>, ApiError> {
    moment::none(Query::of(&request))?;
    let platform = path.ids()?.find(&app).await?;
    let (position, rows) =
        app.engine.reads().balances().trial_balance(platform.shard, Some(platform.id)).await?;
    let rows = daybook_projector::custody(&rows);
    Ok(Record(custody::render(&rows, position)).at(position))
}
