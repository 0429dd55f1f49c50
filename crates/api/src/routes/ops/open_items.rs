//! `GET /v3.1/ops/platforms/{platform}/open-items`

use actix_web::web;
use daybook_domain::States;
use daybook_domain::calendar::Day;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::List;
use crate::error::ApiError;
use crate::page::Page;
use crate::path::{InPath, PlatformName};
use crate::wire::ops::open_item::{self, OpenItem};

/// Lists the open items of a platform: amounts that no bank statement has explained yet, the oldest first.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/open-items", operation_id = "ops.open_items_list",
    responses((status = 200, body = List<OpenItem>)),
)]
pub async fn open_items(
    app: web::Data<App>,
    _operator: Operator,
    page: Page,
    path: InPath<PlatformName>,
) -> Result<List<OpenItem>, ApiError> {
    let platform = path.ids()?.find(&app).await?;
    let (reads, shard) = (&app.reads, platform.shard);
    let total = reads.lists().open_item_count(shard, platform.id).await?;
    let found = reads.aggregates().records(shard, &[platform.id.into()]).await?;
    let now = found.now_of(Some(platform.id), app.engine.clock().now());
    let tomorrow = Day::of(now).plus_days(1).start();
    let rows = reads.lists().open_items(shard, platform.id, tomorrow, page.into()).await?;
    let records = rows.iter().map(|row| open_item::render(row, now)).collect();
    Ok(List { records, page, total })
}
