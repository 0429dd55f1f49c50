//! `GET /v3.1/subscriptions/logs`

use actix_web::{HttpRequest, web};
use daybook_domain::SubscriptionId;
use daybook_domain::id::BoxId;

use crate::app::App;
use crate::auth::Gateway;
use crate::description::params::Attempts;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::page::Page;
use crate::query::Query;
use crate::render;
use crate::wire::moment;
use crate::wire::subscription::AttemptList;

/// Lists what the platform's subscriptions, or one of them, were told in the last thirty days, and what came of it.
#[utoipa::path(
    get, path = "/v3.1/subscriptions/logs", operation_id = "subscriptions.logs",
    params(Attempts),
    responses((status = 200, body = Record<AttemptList>)),
)]
pub async fn logs(
    app: web::Data<App>,
    gateway: Gateway,
    request: HttpRequest,
) -> Result<web::Json<Record<AttemptList>>, ApiError> {
    let (platform, query) = (&gateway.platform, Query::of(&request));
    moment::none(query)?;
    let Page { per_page: limit, .. } = Page::parse(query)?;
    let before: Option<BoxId> = id(query, "before")?;
    let mut subscriptions = render::subscription_ids(&app, platform).await?;
    if let Some(only) = id::<SubscriptionId>(query, "subscription_id")? {
        subscriptions.retain(|id| *id == only);
    }
    let found = app.attempts.list(&subscriptions, before.map(BoxId::as_u128), limit).await?;
    let logs = render::attempts(&app, platform, &found).await?;
    Ok(web::Json(Record(AttemptList { limit, logs_count: logs.len(), logs, success: true })))
}

/// The id that a parameter names, if it was sent.
fn id<T: std::str::FromStr>(query: Query<'_>, name: &'static str) -> Result<Option<T>, ApiError> {
    let text = query.text(name)?;
    text.map(|text| text.parse().map_err(|_| ApiError::invalid(name, "must be an id"))).transpose()
}
