//! `GET /v3.1/ops/platforms/{platform}/queued`

use actix_web::web;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::{List, WithPosition};
use crate::error::ApiError;
use crate::page::Page;
use crate::path::{InPath, PlatformName};
use crate::wire::ops::queued::{self, Queued};

/// Lists the queued transactions of a platform with the reasons for which each is held back.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/queued", operation_id = "ops.queued_list",
    responses((status = 200, body = List<Queued>)),
)]
pub async fn queued(
    app: web::Data<App>,
    _operator: Operator,
    page: Page,
    path: InPath<PlatformName>,
) -> Result<WithPosition<List<Queued>>, ApiError> {
    let platform = path.ids()?.find(&app).await?;
    let listed = app.reads.lists().queued(platform.shard, platform.id, page.into()).await?;
    super::transactions(&app, &platform, listed, page, |id, queued| Some(queued::render(id, queued))).await
}
