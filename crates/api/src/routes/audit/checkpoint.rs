//! `GET /audit/checkpoint` and `GET /audit/key`

use actix_web::http::header::ContentType;
use actix_web::{HttpResponse, web};
use daybook_engine::SHARD;

use super::failed;
use crate::app::App;
use crate::error::ApiError;

/// Returns the newest checkpoint of the log: a signed tree head in the form of a C2SP signed note.
#[utoipa::path(
    get, path = "/audit/checkpoint", operation_id = "audit.checkpoint",
    responses((status = 200, body = String, content_type = "text/plain")),
)]
pub async fn checkpoint(app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    let audit = app.audit.of(SHARD).map_err(failed)?;
    let made = audit.checkpoint().await.map_err(failed)?;
    Ok(HttpResponse::Ok().content_type(ContentType::plaintext()).body(made.note))
}

/// Lists every public key that ever signed checkpoints, one per line, the newest first. Intended for auditors without
/// an independent source of the keys.
#[utoipa::path(
    get, path = "/audit/key", operation_id = "audit.key",
    responses((status = 200, body = String, content_type = "text/plain")),
)]
pub async fn key(app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    let audit = app.audit.of(SHARD).map_err(failed)?;
    let keys = audit.keys().await.map_err(failed)?;
    let lines: String = keys.iter().map(|key| key.text() + "\n").collect();
    Ok(HttpResponse::Ok().content_type(ContentType::plaintext()).body(lines))
}
