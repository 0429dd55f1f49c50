//! `GET /audit/consistency`

use actix_web::HttpRequest;
use actix_web::web::{self, Json};
use daybook_engine::SHARD;

use super::failed;
use crate::app::App;
use crate::error::ApiError;
use crate::in_query::InQuery;
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
    let _place = app.resource_limits.prove(&request).await?;
    let Sizes { from, to } = sizes.values()?;
    let audit = app.audit.of(SHARD).map_err(failed)?;
    let proof = audit.consistency(from, to).await.map_err(failed)?;
    let proof = proof
        .ok_or_else(|| ApiError::invalid("to", "must be from at least, and the size of the log at most"))?;
    Ok(Json(Consistency { from, proof: hashes(&proof), to }))
}
