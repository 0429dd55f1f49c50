//! `GET /audit/events/{event_id}/proof`

use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::id::BoxId;
use uuid::Uuid;

use super::failed;
use crate::app::App;
use crate::auth::Gateway;
use crate::error::ApiError;
use crate::path;
use crate::wire::audit::event::EventProof;

/// An event of the platform, named by its id or its position, and the path from it to a checkpoint.
pub async fn event(
    app: web::Data<App>,
    gateway: Gateway,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let position = if let Ok(position) = path::id::<u64>(&request, "event_id") {
        Some(position)
    } else {
        let id: BoxId = path::id(&request, "event_id")?;
        app.audit.position_of(Uuid::from_u128(id.as_u128())).await.map_err(failed)?
    };
    let proved = app.audit.event(position.ok_or(ApiError::NotFound)?).await.map_err(failed)?;
    let owner = Uuid::from_u128(gateway.platform.id.as_u128());
    let proved = proved.filter(|proved| proved.event.platform == owner).ok_or(ApiError::NotFound)?;
    Ok(HttpResponse::Ok().json(EventProof::from(&proved)))
}
