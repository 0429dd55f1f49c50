//! `GET /v3.1/ops/platforms/{platform}/breaks`

use actix_web::web;
use daybook_domain::{Key, States};

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::{List, WithPosition};
use crate::error::ApiError;
use crate::page::Page;
use crate::path::{InPath, PlatformName};
use crate::wire::ops::breaks::{self, Break};

/// Lists the lines of the bank's statements that are in suspense, wholly or in part, the oldest first.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/breaks", operation_id = "ops.breaks.list",
    responses((status = 200, body = List<Break>)),
)]
pub async fn list(
    app: web::Data<App>,
    _operator: Operator,
    page: Page,
    path: InPath<PlatformName>,
) -> Result<WithPosition<List<Break>>, ApiError> {
    let platform = path.ids()?.find(&app).await?;
    let (reads, shard) = (&app.reads, platform.shard);
    let listed = reads.lists().breaks(shard, platform.id, page.into()).await?;
    let keys: Vec<Key> = listed.items.iter().map(|id| Key::from(*id)).collect();
    let found = reads.aggregates().records(shard, &keys).await?;
    let record = |id| Some(breaks::render(id, found.line_break(id)?));
    let records = listed.items.iter().filter_map(|id| record(*id)).collect();
    Ok(List { records, page, total: listed.total }.at(listed.position))
}
