//! `GET /v3.1/users/{user_id}`

use actix_web::{HttpRequest, web};

use crate::app::App;
use crate::auth::Gateway;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::path;
use crate::render;
use crate::wire::user::User;

/// Answers a user of the platform, with the refresh token that is good now.
pub async fn get(
    app: web::Data<App>,
    gateway: Gateway,
    request: HttpRequest,
) -> Result<Record<User>, ApiError> {
    let id = path::id(&request, "user_id")?;
    Ok(Record(render::user(&app, &gateway.platform, id).await?))
}
