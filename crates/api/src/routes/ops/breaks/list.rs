//! `GET /v3.1/ops/platforms/{platform}/breaks`

use actix_web::web;
use daybook_domain::calendar::Day;
use daybook_domain::{BreakId, Key, States};

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::{List, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::page::Page;
use crate::path::{InPath, PlatformName};
use crate::wire::ops::breaks::{self, Break, Suggesting};

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
    suggesting: InQuery<Suggesting>,
) -> Result<WithPosition<List<Break>>, ApiError> {
    let platform = path.ids()?.find(&app).await?;
    let Suggesting { suggestions } = suggesting.values()?;
    let (reads, shard) = (&app.reads, platform.shard);
    let listed = reads.lists().breaks(shard, platform.id, page.into()).await?;
    let keys = listed.items.iter().map(|id| Key::from(*id)).chain([platform.id.into()]);
    let found = reads.aggregates().records(shard, &keys.collect::<Vec<_>>()).await?;
    let today = Day::of(found.now_of(Some(platform.id), app.engine.clock().now()));
    // The states may be newer than the list: a line that was explained meanwhile is no break.
    let open = |id: &BreakId| found.line_break(*id).filter(|of| of.left != 0);
    let record = |id: &BreakId| Some((*id, breaks::render(*id, open(id)?, today)));
    let records = listed.items.iter().filter_map(record);
    let records = if suggestions && !listed.items.is_empty() {
        let (rules, tried) = app.engine.candidates(&platform, None).await?;
        records.map(|(id, record)| record.with(id, &rules, &tried.outcome)).collect()
    } else {
        records.map(|(_, record)| record).collect()
    };
    Ok(List { records, page, total: listed.total }.at(listed.position))
}
