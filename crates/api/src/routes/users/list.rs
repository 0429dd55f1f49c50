//! `GET /v3.1/users`

use actix_web::{HttpRequest, web};

use crate::app::App;
use crate::auth::{Keyed, needs};
use crate::description::params::UserQuery;
use crate::envelope::{At, List};
use crate::error::ApiError;
use crate::page::Page;
use crate::query::Query;
use crate::render::{self, View};
use crate::search;
use crate::wire::user::User;

/// Lists the platform's users, perhaps only those whom a text finds.
#[utoipa::path(
    get, path = "/v3.1/users", operation_id = "users.list",
    params(Page, UserQuery),
    responses((status = 200, body = List<User>)),
)]
pub async fn list(
    app: web::Data<App>,
    gateway: Keyed<needs::UsersGet>,
    page: Page,
    request: HttpRequest,
) -> Result<At<List<User>>, ApiError> {
    let platform = &gateway.platform;
    let question = Query::of(&request).text("query")?.filter(|text| !text.trim().is_empty());
    let listed = search::list(&app, platform, question.as_deref(), page, gateway.hidden_user()).await?;
    let view = View::now(&app, platform).await?;
    let records = render::users(&app, platform, view, &listed.items).await?;
    Ok(List { records, page, total: listed.total }.at(listed.position))
}
