//! Health: whether the process runs, and whether it can serve.

use actix_web::{HttpResponse, web};
use daybook_engine::SHARD;

use crate::app::App;
use crate::error::ApiError;

/// The process runs.
pub async fn live() -> HttpResponse {
    HttpResponse::Ok().json(serde_json::json!({"status": "live"}))
}

/// Commands are taken, and the log and the read models answer.
pub async fn ready(app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    if !app.engine.is_writing() {
        return Err(ApiError::unavailable(&std::io::Error::other("the writer has stopped")));
    }
    let head = app.engine.log().head(SHARD).await.map_err(|error| ApiError::unavailable(&error))?;
    let position = app.engine.reads().position(SHARD).await?;
    let lag = head.position.saturating_sub(position);
    Ok(HttpResponse::Ok().json(serde_json::json!({"status": "ready", "position": head.position, "lag": lag})))
}
