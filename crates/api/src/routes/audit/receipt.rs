//! `GET /audit/receipts/{position}`

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use super::failed;
use crate::app::App;
use crate::auth::Gateway;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::{InPath, Position};
use crate::wire::audit::receipt::Receipt;
use crate::wire::moment::Latest;

/// Returns the receipt of an event of the platform. Events from before the introduction of receipts have one as well.
#[utoipa::path(
    get, path = "/audit/receipts/{position}", operation_id = "audit.receipt",
    responses((status = 200, body = Receipt)),
)]
pub async fn receipt(
    app: web::Data<App>,
    gateway: Gateway,
    path: InPath<Position>,
    latest: InQuery<Latest>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let _place = app.resource_limits.prove(&request).await?;
    latest.values()?;
    let audit = app.audit.of(gateway.platform.shard).map_err(failed)?;
    let found = audit.receipt(path.ids()?.0).await.map_err(failed)?;
    let owner = Uuid::from(gateway.platform.id);
    let (receipt, _) = found.filter(|(_, platform)| *platform == owner).ok_or(ApiError::NotFound)?;
    Ok(HttpResponse::Ok().json(Receipt::from(&receipt)))
}
