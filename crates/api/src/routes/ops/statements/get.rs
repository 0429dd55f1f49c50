//! `GET /v3.1/ops/platforms/{platform}/statements/{bank_statement_id}`

use actix_web::web;
use daybook_domain::StatementId;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::page::Page;
use crate::path::{InPath, PlatformName};
use crate::wire::ops::stated::{self, Stated};

/// Returns a statement in a file of the platform's bank, with one page of its lines and the evidence for each.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/statements/{bank_statement_id}", operation_id = "ops.statements.get",
    responses((status = 200, body = Record<Stated>)),
)]
pub async fn get(
    app: web::Data<App>,
    _operator: Operator,
    page: Page,
    path: InPath<(PlatformName, StatementId)>,
) -> Result<Record<Stated>, ApiError> {
    let (platform, id) = path.ids()?;
    let platform = platform.find(&app).await?;
    let found = app.engine.statement_page(&platform, id, page.into()).await?.ok_or(ApiError::NotFound)?;
    Ok(Record(stated::render(&found, page)))
}
