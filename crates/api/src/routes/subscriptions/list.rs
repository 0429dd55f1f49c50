//! `GET /v3.1/subscriptions`

use actix_web::web;

use crate::app::App;
use crate::auth::{PlatformOrPublicKey, scopes};
use crate::envelope::{List, WithPosition};
use crate::error::ApiError;
use crate::page::Page;
use crate::render::{self, View};
use crate::wire::subscription::Subscription;

/// Lists the subscriptions of the platform, active or not.
#[utoipa::path(
    get, path = "/v3.1/subscriptions", operation_id = "subscriptions.list",
    responses((status = 200, body = List<Subscription>)),
)]
pub async fn list(
    app: web::Data<App>,
    gateway: PlatformOrPublicKey<scopes::SubscriptionsGet>,
    page: Page,
) -> Result<WithPosition<List<Subscription>>, ApiError> {
    let platform = &gateway.platform;
    let listed =
        app.reads.lists().subscriptions_of_platform(platform.shard, platform.id, page.into()).await?;
    let view = View::now(&app, platform).await?;
    let records = render::subscriptions(&app, platform, view, &listed.items).await?;
    Ok(List { records, page, total: listed.total }.at(listed.position))
}
