//! `POST /v3.1/ops/platforms/{platform}/operations/{operation_id}/approve` and `…/decline`

use actix_web::web;
use daybook_domain::{OperationId, operation::review::Review};

use crate::app::App;
use crate::auth::Operator;
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::path::{InPath, PlatformName};
use crate::render::{self, View};
use crate::wire::ops::operation::Operation;

/// Approves an operation that another operator requested, and executes it.
#[utoipa::path(
    post, path = "/v3.1/ops/platforms/{platform}/operations/{operation_id}/approve", operation_id = "ops.operations.approve",
    params(DryRun),
    responses((status = 200, body = Record<Operation>)),
)]
pub async fn approve(
    app: web::Data<App>,
    operator: Operator,
    path: InPath<(PlatformName, OperationId)>,
    body: Body,
) -> Result<WithPosition<Record<Operation>>, ApiError> {
    review(&app, &operator, path, &body, true).await
}

/// Declines an operation that waits for approval; it is not executed.
#[utoipa::path(
    post, path = "/v3.1/ops/platforms/{platform}/operations/{operation_id}/decline", operation_id = "ops.operations.decline",
    params(DryRun),
    responses((status = 200, body = Record<Operation>)),
)]
pub async fn decline(
    app: web::Data<App>,
    operator: Operator,
    path: InPath<(PlatformName, OperationId)>,
    body: Body,
) -> Result<WithPosition<Record<Operation>>, ApiError> {
    review(&app, &operator, path, &body, false).await
}

async fn review(
    app: &App,
    operator: &Operator,
    path: InPath<(PlatformName, OperationId)>,
    body: &Body,
    approves: bool,
) -> Result<WithPosition<Record<Operation>>, ApiError> {
    let (platform, id) = path.ids()?;
    let platform = platform.find(app).await?;
    let review = Review::new(id, operator.id, approves);
    let done = app.engine.review(&platform, operator.call(&platform, body), review).await?;
    let view = View::after(app, &platform, &done).await?;
    Ok(Record(render::operation(app, &platform, view, id).await?).at(&done))
}
