//! `GET /audit/consistency`, and the same of a shard

use actix_web::HttpRequest;
use actix_web::web::{self, Json};
use daybook_engine::{SHARD, Shard};

use super::{failed, of_shard};
use crate::app::App;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::{InPath, ShardNumber};
use crate::wire::audit::{Consistency, Sizes, hashes};

/// Returns the proof that the log of size `from` is a prefix of the log of size `to`.
#[utoipa::path(
    get, path = "/audit/consistency", operation_id = "audit.consistency",
    responses((status = 200, body = Consistency)),
)]
pub async fn consistency(
    app: web::Data<App>,
    sizes: InQuery<Sizes>,
    request: HttpRequest,
) -> Result<Json<Consistency>, ApiError> {
    prove(&app, SHARD, sizes, &request).await
}

/// Returns the proof that the log of a shard of size `from` is a prefix of its log of size `to`.
#[utoipa::path(
    get, path = "/audit/shards/{shard}/consistency", operation_id = "audit.shard.consistency",
    responses((status = 200, body = Consistency)),
)]
pub async fn consistency_of_shard(
    app: web::Data<App>,
    path: InPath<ShardNumber>,
    sizes: InQuery<Sizes>,
    request: HttpRequest,
) -> Result<Json<Consistency>, ApiError> {
    prove(&app, path.ids()?.0, sizes, &request).await
}

async fn prove(
    app: &App,
    shard: Shard,
    sizes: InQuery<Sizes>,
    request: &HttpRequest,
) -> Result<Json<Consistency>, ApiError> {
    let _place = app.resource_limits.prove(request).await?;
    let Sizes { from, to } = sizes.values()?;
    let audit = of_shard(app, shard)?;
    let proof = audit.consistency(from, to).await.map_err(failed)?;
    let proof = proof
        .ok_or_else(|| ApiError::invalid("to", "must be from at least, and the size of the log at most"))?;
    Ok(Json(Consistency { from, proof: hashes(&proof), to }))
}
