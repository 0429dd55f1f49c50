//! `GET /v3.1/users/{user_id}`

use actix_web::web;
use daybook_domain::UserId;

use crate::app::App;
use crate::auth::{PlatformOrPublicKey, scopes};
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::InPath;
use crate::render::{self, View};
use crate::wire::moment::AsOf;
use crate::wire::user::User;

/// Returns a user of the platform, current or at an earlier moment, with the current refresh token.
#[utoipa::path(
    get, path = "/v3.1/users/{user_id}", operation_id = "users.get",
    responses((status = 200, body = Record<User>)),
)]
pub async fn get(
    app: web::Data<App>,
    gateway: PlatformOrPublicKey<scopes::UserGet>,
    path: InPath<UserId>,
    as_of: InQuery<AsOf>,
) -> Result<WithPosition<Record<User>>, ApiError> {
    let (platform, id) = (&gateway.platform, path.ids()?);
    let view = View::asked(&app, platform, as_of).await?;
    Ok(Record(render::user(&app, platform, view, id).await?).at(view.position()))
}
