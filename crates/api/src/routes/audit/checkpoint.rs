//! `GET /audit/checkpoint` and `GET /audit/key`, and the same of a shard

use actix_web::http::header::ContentType;
use actix_web::{HttpResponse, web};
use daybook_engine::{SHARD, Shard};

use super::{failed, of_shard};
use crate::app::App;
use crate::error::ApiError;
use crate::path::{InPath, ShardNumber};

/// Returns the newest checkpoint of the log: a signed tree head in the form of a C2SP signed note.
#[utoipa::path(
    get, path = "/audit/checkpoint", operation_id = "audit.checkpoint",
    responses((status = 200, body = String, content_type = "text/plain")),
)]
pub async fn checkpoint(app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    newest(&app, SHARD).await
}

/// Returns the newest checkpoint of a shard, as `/audit/checkpoint` returns that of shard 1.
#[utoipa::path(
    get, path = "/audit/shards/{shard}/checkpoint", operation_id = "audit.shard.checkpoint",
    responses((status = 200, body = String, content_type = "text/plain")),
)]
pub async fn checkpoint_of_shard(
    app: web::Data<App>,
    path: InPath<ShardNumber>,
) -> Result<HttpResponse, ApiError> {
    newest(&app, path.ids()?.0).await
}

async fn newest(app: &App, shard: Shard) -> Result<HttpResponse, ApiError> {
    let made = of_shard(app, shard)?.checkpoint().await.map_err(failed)?;
    Ok(HttpResponse::Ok().content_type(ContentType::plaintext()).body(made.note))
}

/// Lists every public key that ever signed checkpoints, one per line, the newest first. Intended for auditors without
/// an independent source of the keys.
#[utoipa::path(
    get, path = "/audit/key", operation_id = "audit.key",
    responses((status = 200, body = String, content_type = "text/plain")),
)]
pub async fn key(app: web::Data<App>) -> Result<HttpResponse, ApiError> {
    keys(&app, SHARD).await
}

/// Lists every public key that ever signed checkpoints of a shard, as `/audit/key` does for shard 1.
#[utoipa::path(
    get, path = "/audit/shards/{shard}/key", operation_id = "audit.shard.key",
    responses((status = 200, body = String, content_type = "text/plain")),
)]
pub async fn key_of_shard(app: web::Data<App>, path: InPath<ShardNumber>) -> Result<HttpResponse, ApiError> {
    keys(&app, path.ids()?.0).await
}

async fn keys(app: &App, shard: Shard) -> Result<HttpResponse, ApiError> {
    let keys = of_shard(app, shard)?.keys().await.map_err(failed)?;
    let lines: String = keys.iter().map(|key| key.text() + "\n").collect();
    Ok(HttpResponse::Ok().content_type(ContentType::plaintext()).body(lines))
}
