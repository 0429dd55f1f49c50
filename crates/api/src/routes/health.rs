//! Health: whether the process runs, and whether it can serve.

use actix_web::web::{self, Json};
use daybook_engine::SHARD;

use crate::app::App;
use crate::error::ApiError;
use crate::wire::health::{Live, Ready};

/// The process runs.
#[utoipa::path(
    get, path = "/health/live", operation_id = "health.live",
    responses((status = 200, body = Live)),
)]
pub async fn live() -> Json<Live> {
    Json(Live { status: "live" })
}

/// Commands are taken, and the log and the read models answer.
#[utoipa::path(
    get, path = "/health/ready", operation_id = "health.ready",
    responses((status = 200, body = Ready)),
)]
pub async fn ready(app: web::Data<App>) -> Result<Json<Ready>, ApiError> {
    if !app.engine.is_writing() {
        return Err(ApiError::unavailable(&std::io::Error::other("the writer has stopped")));
    }
    let head = app.engine.log().head(SHARD).await.map_err(|error| ApiError::unavailable(&error))?;
    let position = app.engine.reads().position(SHARD).await?;
    let lag = head.position.saturating_sub(position);
    Ok(Json(Ready { lag, position: head.position, status: "ready" }))
}
