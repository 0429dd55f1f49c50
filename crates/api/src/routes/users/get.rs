//! `GET /v3.1/users/{user_id}`

use actix_web::{HttpRequest, web};
use daybook_domain::UserId;

use crate::app::App;
use crate::auth::{Keyed, needs};
use crate::description::params::AsOf;
use crate::envelope::{At, Record};
use crate::error::ApiError;
use crate::path::InPath;
use crate::query::Query;
use crate::render::{self, View};
use crate::wire::user::User;

/// Answers a user of the platform, as it is or was, with the refresh token that is good now.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}", operation_id = "users.get",
    params(AsOf),
    responses((status = 200, body = Record<User>)),
)]
pub async fn get(
    app: web::Data<App>,
    gateway: Keyed<needs::UserGet>,
    path: InPath<UserId>,
    request: HttpRequest,
) -> Result<At<Record<User>>, ApiError> {
    let (platform, id) = (&gateway.platform, path.ids()?);
    let view = View::asked(&app, platform, Query::of(&request)).await?;
    Ok(Record(render::user(&app, platform, view, id).await?).at(view.position()))
}
