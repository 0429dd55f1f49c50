//! `GET /v3.1/subscriptions/logs`

use actix_web::web;
use daybook_domain::id::BoxId;

use crate::app::App;
use crate::auth::Gateway;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::render;
use crate::wire::subscription::{AttemptList, Attempts};

/// Lists the webhook deliveries of the last thirty days with their results, for all subscriptions of the platform or
/// one of them.
#[utoipa::path(
    get, path = "/v3.1/subscriptions/logs", operation_id = "subscriptions.logs",
    responses((status = 200, body = Record<AttemptList>)),
)]
pub async fn logs(
    app: web::Data<App>,
    gateway: Gateway,
    attempts: InQuery<Attempts>,
) -> Result<web::Json<Record<AttemptList>>, ApiError> {
    let platform = &gateway.platform;
    let Attempts { subscription, before, limit } = attempts.values()?;
    let mut subscriptions = render::subscription_ids(&app, platform).await?;
    if let Some(only) = subscription {
        subscriptions.retain(|id| *id == only);
    }
    let found = app.attempts.list(platform.shard, &subscriptions, before.map(BoxId::as_u128), limit).await?;
    let logs = render::attempts(&app, platform, &found).await?;
    Ok(web::Json(Record(AttemptList { limit, logs_count: logs.len(), logs, success: true })))
}
