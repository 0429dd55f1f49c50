//! `GET /audit/tile/{tile}`, and the same of a shard

use actix_web::{HttpRequest, HttpResponse, web};
use daybook_engine::{SHARD, Shard};
use daybook_proof::Tile;

use super::{failed, of_shard};
use crate::app::App;
use crate::error::ApiError;
use crate::path::{InPath, ShardNumber};

/// Returns a tile of hashes of the Merkle tree, as specified by C2SP tlog-tiles. Entries of the log itself are not
/// served, because they contain data of every platform.
#[utoipa::path(
    get, path = "/audit/tile/{tile:.*}", operation_id = "audit.tile",
    responses((status = 200, body = String, content_type = "application/octet-stream")),
)]
pub async fn tile(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    read(&app, SHARD, &request).await
}

/// Returns a tile of hashes of a shard's Merkle tree, as `/audit/tile/{tile}` returns those of shard 1.
#[utoipa::path(
    get, path = "/audit/shards/{shard}/tile/{tile:.*}", operation_id = "audit.shard.tile",
    responses((status = 200, body = String, content_type = "application/octet-stream")),
)]
pub async fn tile_of_shard(
    app: web::Data<App>,
    path: InPath<ShardNumber>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    read(&app, path.ids()?.0, &request).await
}

async fn read(app: &App, shard: Shard, request: &HttpRequest) -> Result<HttpResponse, ApiError> {
    let _place = app.resource_limits.prove(request).await?;
    let path = format!("tile/{}", request.match_info().query("tile"));
    let tile = Tile::parse(&path).map_err(|_| ApiError::NotFound)?;
    let audit = of_shard(app, shard)?;
    let bytes = audit.tile(tile).await.map_err(failed)?.ok_or(ApiError::NotFound)?;
    Ok(HttpResponse::Ok().content_type("application/octet-stream").body(bytes))
}
