//! `GET /v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}`

use actix_web::{HttpRequest, web};

use crate::app::App;
use crate::auth::{Caller, needs};
use crate::envelope::Record;
use crate::error::ApiError;
use crate::path;
use crate::render;
use crate::wire::transaction::Transaction;

/// Answers a transaction by way of either of its nodes.
pub async fn get(
    app: web::Data<App>,
    caller: Caller<needs::TranGet>,
    request: HttpRequest,
) -> Result<Record<Transaction>, ApiError> {
    let by = render::By::Side { user: caller.user, node: path::id(&request, "node_id")? };
    let id = path::id(&request, "trans_id")?;
    Ok(Record(render::transaction(&app, &caller.platform, by, id).await?))
}
