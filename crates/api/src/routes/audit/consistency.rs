//! `GET /audit/consistency`

use actix_web::HttpRequest;
use actix_web::web::{self, Json};

use super::failed;
use crate::app::App;
use crate::description::params::Sizes;
use crate::error::ApiError;
use crate::query::Query;
use crate::wire::audit::{Consistency, hashes};
use crate::wire::text::digits;

/// What shows that the log of size `from` is the beginning of that of size `to`.
#[utoipa::path(
    get, path = "/audit/consistency", operation_id = "audit.consistency",
    params(Sizes),
    responses((status = 200, body = Consistency)),
)]
pub async fn consistency(app: web::Data<App>, request: HttpRequest) -> Result<Json<Consistency>, ApiError> {
    let _place = app.allowances.prove(&request).await?;
    let query = Query::of(&request);
    let (from, to) = (size(query, "from")?, size(query, "to")?);
    let proof = app.audit.consistency(from, to).await.map_err(failed)?;
    let proof = proof
        .ok_or_else(|| ApiError::invalid("to", "must be from at least, and the size of the log at most"))?;
    Ok(Json(Consistency { from, proof: hashes(&proof), to }))
}

fn size(query: Query<'_>, name: &'static str) -> Result<u64, ApiError> {
    let text = query.text(name)?.ok_or_else(|| ApiError::missing(name))?;
    digits(&text).ok_or_else(|| ApiError::invalid(name, "must be the size of a checkpoint"))
}
