//! `GET /audit/tile/{tile}`

use actix_web::{HttpRequest, HttpResponse, web};
use daybook_engine::SHARD;
use daybook_proof::Tile;

use super::failed;
use crate::app::App;
use crate::error::ApiError;

/// Returns a tile of hashes of the Merkle tree, as specified by C2SP tlog-tiles. Entries of the log itself are not
/// served, because they contain data of every platform.
#[utoipa::path(
    get, path = "/audit/tile/{tile:.*}", operation_id = "audit.tile",
    responses((status = 200, body = String, content_type = "application/octet-stream")),
)]
pub async fn tile(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let _place = app.resource_limits.prove(&request).await?;
    let path = format!("tile/{}", request.match_info().query("tile"));
    let tile = Tile::parse(&path).map_err(|_| ApiError::NotFound)?;
    let audit = app.audit.of(SHARD).map_err(failed)?;
    let bytes = audit.tile(tile).await.map_err(failed)?.ok_or(ApiError::NotFound)?;
    Ok(HttpResponse::Ok().content_type("application/octet-stream").body(bytes))
}
