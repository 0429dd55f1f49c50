//! `GET /v3.1/ops/platforms/{platform}/operations`

use actix_web::web;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::{List, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::page::Page;
use crate::path::{InPath, PlatformName};
use crate::render::{self, View};
use crate::wire::ops::operation::{Operation, Waiting};

/// Lists the operations that operators requested, optionally only those that wait for approval.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/operations", operation_id = "ops.operations.list",
    responses((status = 200, body = List<Operation>)),
)]
pub async fn list(
    app: web::Data<App>,
    _operator: Operator,
    page: Page,
    path: InPath<PlatformName>,
    waiting: InQuery<Waiting>,
) -> Result<WithPosition<List<Operation>>, ApiError> {
    let platform = path.ids()?.find(&app).await?;
    let Waiting { waiting } = waiting.values()?;
    let listed = app.reads.lists().operations(platform.shard, platform.id, waiting, page.into()).await?;
    let view = View::now(&app, &platform).await?;
    let records = render::operations(&app, &platform, view, &listed.items).await?;
    Ok(List { records, page, total: listed.total }.at(listed.position))
}
