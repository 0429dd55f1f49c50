//! `GET /v3.1/users/{user_id}/trans`

use actix_web::web;

use crate::app::App;
use crate::auth::{Caller, needs};
use crate::envelope::{At, Collection, List};
use crate::error::ApiError;
use crate::page::Page;
use crate::render;
use crate::wire::transaction::Transaction;

/// Lists the transactions in which the user sends or receives.
pub async fn list(
    app: web::Data<App>,
    caller: Caller<needs::TransGet>,
    page: Page,
) -> Result<At<List<Transaction>>, ApiError> {
    let platform = &caller.platform;
    let listed = app.engine.reads().transactions_of_user(platform.shard, caller.user, page.into()).await?;
    let records = render::transactions(&app, platform, caller.user, &listed.items).await?;
    Ok(List { collection: Collection::Transactions, records, page, total: listed.total }.at(listed.position))
}
