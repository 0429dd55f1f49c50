//! `GET /v3.1/users`

use actix_web::web;

use crate::app::App;
use crate::auth::Gateway;
use crate::envelope::{At, Collection, List};
use crate::error::ApiError;
use crate::page::Page;
use crate::render;
use crate::wire::user::User;

/// Lists the users of the platform, each with the refresh token that is good now.
pub async fn list(app: web::Data<App>, gateway: Gateway, page: Page) -> Result<At<List<User>>, ApiError> {
    let platform = &gateway.platform;
    let listed = app.engine.reads().users_of_platform(platform.shard, platform.id, page.into()).await?;
    let records = render::users(&app, platform, &listed.items).await?;
    Ok(List { collection: Collection::Users, records, page, total: listed.total }.at(listed.position))
}
