//! `GET /v3.1/ops/platforms/{platform}/operations`

use actix_web::{HttpRequest, web};

use crate::app::App;
use crate::auth::Operator;
use crate::description::params::Waiting;
use crate::envelope::{At, List};
use crate::error::ApiError;
use crate::page::Page;
use crate::path::{InPath, PlatformName};
use crate::query::Query;
use crate::render::{self, View};
use crate::wire::ops::operation::Operation;

/// Lists what operators asked for, perhaps only what waits for approval.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/operations", operation_id = "ops.operations.list",
    params(Page, Waiting),
    responses((status = 200, body = List<Operation>)),
)]
pub async fn list(
    app: web::Data<App>,
    _operator: Operator,
    page: Page,
    path: InPath<PlatformName>,
    request: HttpRequest,
) -> Result<At<List<Operation>>, ApiError> {
    let platform = path.ids()?.find(&app).await?;
    let waiting = Query::of(&request).flag("waiting");
    let listed =
        app.engine.reads().lists().operations(platform.shard, platform.id, waiting, page.into()).await?;
    let view = View::now(&app, &platform).await?;
    let records = render::operations(&app, &platform, view, &listed.items).await?;
    Ok(List { records, page, total: listed.total }.at(listed.position))
}
