//! `GET /audit/consistency`

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use super::failed;
use crate::app::App;
use crate::error::ApiError;
use crate::page::Query;
use crate::wire::audit::hashes;
use crate::wire::text::digits;

/// What shows that the log of size `from` is the beginning of that of size `to`.
pub async fn consistency(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let query = Query::of(&request);
    let (from, to) = (size(query, "from")?, size(query, "to")?);
    let proof = app.audit.consistency(from, to).await.map_err(failed)?;
    let proof = proof
        .ok_or_else(|| ApiError::invalid("to", "must be from at least, and the size of the log at most"))?;
    Ok(HttpResponse::Ok().json(json!({"from": from, "to": to, "proof": hashes(&proof)})))
}

fn size(query: Query<'_>, name: &'static str) -> Result<u64, ApiError> {
    let text = query.text(name)?.ok_or_else(|| ApiError::missing(name))?;
    digits(&text).ok_or_else(|| ApiError::invalid(name, "must be the size of a checkpoint"))
}
