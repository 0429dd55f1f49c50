//! `GET /v3.1/users`

use actix_web::web;

use crate::app::App;
use crate::auth::{PlatformOrPublicKey, scopes};
use crate::envelope::{List, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::page::Page;
use crate::render::{self, View};
use crate::search;
use crate::wire::user::{User, UserQuery};

/// Lists the platform's users, optionally only those whose name or e-mail address matches a text.
#[utoipa::path(
    get, path = "/v3.1/users", operation_id = "users.list",
    responses((status = 200, body = List<User>)),
)]
pub async fn list(
    app: web::Data<App>,
    gateway: PlatformOrPublicKey<scopes::UsersGet>,
    page: Page,
    query: InQuery<UserQuery>,
) -> Result<WithPosition<List<User>>, ApiError> {
    let platform = &gateway.platform;
    let UserQuery { query } = query.values()?;
    let listed = search::list(&app, platform, query.as_deref(), page, gateway.hidden_user()).await?;
    let view = View::now(&app, platform).await?;
    let records = render::users(&app, platform, view, &listed.items).await?;
    Ok(List { records, page, total: listed.total }.at(listed.position))
}
