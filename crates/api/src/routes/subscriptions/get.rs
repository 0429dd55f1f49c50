//! `GET /v3.1/subscriptions/{subscription_id}`

use actix_web::web;
use daybook_domain::SubscriptionId;

use crate::app::App;
use crate::auth::{PlatformOrPublicKey, scopes};
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::path::InPath;
use crate::render::{self, View};
use crate::wire::moment::AsOf;
use crate::wire::subscription::Subscription;

/// Returns one subscription of the platform, current or at an earlier moment.
#[utoipa::path(
    get, path = "/v3.1/subscriptions/{subscription_id}", operation_id = "subscriptions.get",
    responses((status = 200, body = Record<Subscription>)),
)]
pub async fn get(
    app: web::Data<App>,
    gateway: PlatformOrPublicKey<scopes::SubscriptionGet>,
    path: InPath<SubscriptionId>,
    as_of: InQuery<AsOf>,
) -> Result<WithPosition<Record<Subscription>>, ApiError> {
    let (platform, id) = (&gateway.platform, path.ids()?);
    let view = View::asked(&app, platform, as_of).await?;
    Ok(Record(render::subscription(&app, platform, view, id).await?).at(view.position()))
}
