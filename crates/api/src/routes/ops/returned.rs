//! `GET /v3.1/ops/platforms/{platform}/returned`

use actix_web::web;
use daybook_domain::transaction::Status;

use crate::app::App;
use crate::auth::Operator;
use crate::envelope::{List, WithPosition};
use crate::error::ApiError;
use crate::page::Page;
use crate::path::{InPath, PlatformName};
use crate::wire::ops::returned_transaction::{self, ReturnedTransaction};

/// Lists the returned transactions of a platform with their return codes. The codes are those of banks; codes such as
/// `D01` are Daybook's own, for payments that could not be sent to a bank.
#[utoipa::path(
    get, path = "/v3.1/ops/platforms/{platform}/returned", operation_id = "ops.returned_list",
    responses((status = 200, body = List<ReturnedTransaction>)),
)]
pub async fn returned(
    app: web::Data<App>,
    _operator: Operator,
    page: Page,
    path: InPath<PlatformName>,
) -> Result<WithPosition<List<ReturnedTransaction>>, ApiError> {
    let platform = path.ids()?.find(&app).await?;
    let (lists, status) = (app.reads.lists(), Some(Status::Returned));
    let listed = lists.transactions_of_platform(platform.shard, platform.id, status, page.into()).await?;
    super::transactions(&app, &platform, listed, page, returned_transaction::render).await
}
