//! `GET /audit/events/{event_id}/proof`

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use super::failed;
use crate::app::App;
use crate::auth::Gateway;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::{EventName, InPath};
use crate::wire::audit::event::EventProof;
use crate::wire::moment::Latest;

/// Returns an event of the platform, named by position or id, with its inclusion proof for a checkpoint.
#[utoipa::path(
    get, path = "/audit/events/{event_id}/proof", operation_id = "audit.event",
    responses((status = 200, body = EventProof)),
)]
pub async fn event(
    app: web::Data<App>,
    gateway: Gateway,
    path: InPath<EventName>,
    latest: InQuery<Latest>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let _place = app.resource_limits.prove(&request).await?;
    latest.values()?;
    let audit = app.audit.of(gateway.platform.shard).map_err(failed)?;
    let position = match path.ids()? {
        EventName::Position(position) => Some(position),
        EventName::Id(id) => audit.position_of(id).await.map_err(failed)?,
    };
    let proved = audit.event(position.ok_or(ApiError::NotFound)?).await.map_err(failed)?;
    let owner = Uuid::from(gateway.platform.id);
    let proved = proved.filter(|proved| proved.included.event.platform == owner).ok_or(ApiError::NotFound)?;
    Ok(HttpResponse::Ok().json(EventProof::from(&proved)))
}
