//! `GET /v3.1/ops/platforms/{platform}/files`

use actix_web::web;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::{List, WithPosition};
use crate::error::ApiError;
use crate::page::Page;
use crate::path::{InPath, PlatformName};
use crate::wire::ops::file::{self, File};

/// Lists the files for the platform's bank, in the order in which they were cut.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/files", operation_id = "ops.files.list",
    responses((status = 200, body = List<File>)),
)]
pub async fn list(
    app: web::Data<App>,
    _operator: Operator,
    page: Page,
    path: InPath<PlatformName>,
) -> Result<WithPosition<List<File>>, ApiError> {
    let platform = path.ids()?.find(&app).await?;
    let (reads, shard) = (&app.reads, platform.shard);
    let custody = app.engine.custody_of(shard, platform.id).await?.ok_or(ApiError::NotFound)?;
    let listed = reads.lists().files(shard, custody, page.into()).await?;
    let mut records = Vec::with_capacity(listed.items.len());
    for id in listed.items {
        if let Some(row) = reads.lists().file(shard, custody, id).await? {
            records.push(file::render(platform.id, &row.cut, row.cut_at, &app.base_url));
        }
    }
    Ok(List { records, page, total: listed.total }.at(listed.position))
}
