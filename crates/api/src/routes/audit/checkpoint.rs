//! `GET /audit/checkpoint` and `GET /audit/key`

use actix_web::http::header::ContentType;
use actix_web::{HttpResponse, web};

use super::failed;
use crate::app::App;
use crate::error::ApiError;

/// The newest checkpoint, a signed note.
#[utoipa::path(
    get, path = "/audit/checkpoint", operation_id = "audit.checkpoint",
    responses((status = 200, body = String, content_type = "text/plain")),
)]
pub async fn checkpoint(app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    let made = app.audit.checkpoint().await.map_err(failed)?;
    Ok(HttpResponse::Ok().content_type(ContentType::plaintext()).body(made.note))
}

/// Every public key that ever signed, one on a line, for whoever has no better way to learn them; the first is the newest.
#[utoipa::path(
    get, path = "/audit/key", operation_id = "audit.key",
    responses((status = 200, body = String, content_type = "text/plain")),
)]
pub async fn key(app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    let keys = app.audit.keys().await.map_err(failed)?;
    let lines: String = keys.iter().map(|key| key.text() + "\n").collect();
    Ok(HttpResponse::Ok().content_type(ContentType::plaintext()).body(lines))
}
