//! `GET /v3.1/ops/platforms/{platform}/operations/{operation_id}`

use actix_web::{HttpRequest, web};

use crate::app::App;
use crate::auth::Operator;
use crate::description::params::AsOf;
use crate::envelope::{At, Record};
use crate::error::ApiError;
use crate::page::Query;
use crate::path;
use crate::render::{self, View};
use crate::wire::ops::operation::Operation;

/// Answers an operation, as it is or was.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/operations/{operation_id}", operation_id = "ops.operations.get",
    params(AsOf),
    responses((status = 200, body = Record<Operation>)),
    security(("X-SP-OPERATOR" = [])),
)]
pub async fn get(
    app: web::Data<App>,
    _operator: Operator,
    request: HttpRequest,
) -> Result<At<Record<Operation>>, ApiError> {
    let platform = path::platform(&app, &request).await?;
    let id = path::id(&request, "operation_id")?;
    let view = View::asked(&app, &platform, Query::of(&request)).await?;
    Ok(Record(render::operation(&app, &platform, view, id).await?).at(view.position()))
}
