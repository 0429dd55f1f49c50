//! `GET /v3.1/ops/platforms/{platform}/rules`

use actix_web::web;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::{InPath, PlatformName};
use crate::wire::moment::Latest;
use crate::wire::ops::rules::{self, Rules};

/// Returns the matching rules of the platform's account at the bank, and their version.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/rules", operation_id = "ops.rules",
    responses((status = 200, body = Record<Rules>)),
)]
pub async fn rules(
    app: web::Data<App>,
    _operator: Operator,
    path: InPath<PlatformName>,
    latest: InQuery<Latest>,
) -> Result<Record<Rules>, ApiError> {
    latest.values()?;
    let platform = path.ids()?.find(&app).await?;
    let custody = app.engine.custody_of(platform.shard, platform.id).await?.ok_or(ApiError::NotFound)?;
    Ok(Record(rules::render(&app.engine.rules_of(platform.shard, custody).await?)))
}
