//! `GET /v3.1/ops/platforms/{platform}/operations/{operation_id}`

use actix_web::web;
use daybook_domain::OperationId;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::{InPath, PlatformName};
use crate::render::{self, View};
use crate::wire::moment::AsOf;
use crate::wire::ops::operation::Operation;

/// Returns an operation, current or at an earlier moment.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/operations/{operation_id}", operation_id = "ops.operations.get",
    responses((status = 200, body = Record<Operation>)),
)]
pub async fn get(
    app: web::Data<App>,
    _operator: Operator,
    path: InPath<(PlatformName, OperationId)>,
    as_of: InQuery<AsOf>,
) -> Result<WithPosition<Record<Operation>>, ApiError> {
    let (platform, id) = path.ids()?;
    let platform = platform.find(&app).await?;
    let view = View::asked(&app, &platform, as_of).await?;
    Ok(Record(render::operation(&app, &platform, view, id).await?).at(view.position()))
}
