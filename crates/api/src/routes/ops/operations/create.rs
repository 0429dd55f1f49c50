//! `POST /v3.1/ops/platforms/{platform}/operations`

use actix_web::web;

use crate::app::App;
use crate::auth::Operator;
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{At, Record};
use crate::error::ApiError;
use crate::path::{InPath, PlatformName};
use crate::render::{self, View};
use crate::wire::ops::operate::Operate;
use crate::wire::ops::operation::Operation;

/// Does something to the ledger, or asks for another operator's approval to do it.
#[utoipa::path(
    post, path = "/v3.1/ops/platforms/{platform}/operations", operation_id = "ops.operations.create",
    params(DryRun),
    request_body = Operate,
    responses((status = 200, body = Record<Operation>)),
    security(("X-SP-OPERATOR" = [])),
)]
pub async fn create(
    app: web::Data<App>,
    operator: Operator,
    path: InPath<PlatformName>,
    body: Body,
) -> Result<At<Record<Operation>>, ApiError> {
    let platform = path.ids()?.find(&app).await?;
    let new = body.json::<Operate>()?.parse()?;
    let call = operator.call(&body);
    let (id, done) = app.engine.operate(&platform, call, operator.id, new.act, new.reason).await?;
    let view = View::after(&app, &platform, &done).await?;
    Ok(Record(render::operation(&app, &platform, view, id).await?).at(&done))
}
