//! `GET /v3.1/ops/platforms/{platform}/statements`

use actix_web::web;
use daybook_domain::{Key, States};
use daybook_engine::statements::StatementView;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::{List, WithPosition};
use crate::error::ApiError;
use crate::page::Page;
use crate::path::{InPath, PlatformName};
use crate::wire::ops::statement::{self, Statement};

/// Lists the statements in files of the platform's bank, in the order in which they were accepted, without their lines.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/statements", operation_id = "ops.statements.list",
    responses((status = 200, body = List<Statement>)),
)]
pub async fn list(
    app: web::Data<App>,
    _operator: Operator,
    page: Page,
    path: InPath<PlatformName>,
) -> Result<WithPosition<List<Statement>>, ApiError> {
    let platform = path.ids()?.find(&app).await?;
    let (reads, shard) = (&app.reads, platform.shard);
    let custody = app.engine.custody_of(shard, platform.id).await?.ok_or(ApiError::NotFound)?;
    let listed = reads.lists().statements_of_custody(shard, custody, page.into()).await?;
    let keys: Vec<Key> = listed.items.iter().map(|id| Key::from(*id)).collect();
    let found = reads.aggregates().records(shard, &keys).await?;
    let view = |id| Some(StatementView { id, statement: found.statement(id)?.clone(), lines: vec![] });
    let records =
        listed.items.iter().filter_map(|id| view(*id)).map(|view| statement::render(&view)).collect();
    Ok(List { records, page, total: listed.total }.at(listed.position))
}
