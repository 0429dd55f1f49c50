//! `POST /v3.1/subscriptions/{subscription_id}/redeliver`

use actix_web::web;
use daybook_domain::SubscriptionId;
use daybook_engine::webhook::{CallTimeout, DeliveryResult};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::{Gateway, dry_run};
use crate::body::Body;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::path::InPath;
use crate::render;
use crate::webhook::WebhookSender;
use crate::wire::form::Whole;
use crate::wire::subscription::AttemptRecord;

type Position = Whole<0, { i64::MAX }>;

/// The event to deliver.
#[derive(Deserialize, ToSchema)]
struct Redeliver {
    /// Position of the event in the log.
    position: Position,
}

/// Delivers one event to a subscription again, immediately, and returns the result of the delivery.
#[utoipa::path(
    post, path = "/v3.1/subscriptions/{subscription_id}/redeliver", operation_id = "subscriptions.redeliver",
    request_body = Redeliver,
    responses((status = 200, body = Record<AttemptRecord>)),
)]
pub async fn redeliver(
    app: web::Data<App>,
    gateway: Gateway,
    path: InPath<SubscriptionId>,
    body: Body,
) -> Result<web::Json<Record<AttemptRecord>>, ApiError> {
    dry_run::refuse(gateway.dry_run, "calls that deliver a webhook")?;
    let platform = &gateway.platform;
    let id = path.ids()?;
    render::subscription_details(&app, platform, id).await?;
    let Redeliver { position } = body.json()?;
    let position = position.get().unsigned_abs();
    let told =
        WebhookSender::new(App::clone(&app)).deliver(platform.shard, id, position, CallTimeout::Full).await?;
    let DeliveryResult::Called(response) = told else {
        let text = "The subscription is not active, or does not include the event at this position.";
        return Err(ApiError::Unsupported("nothing_to_tell", text.into()));
    };
    let attempt = app.attempts.record(platform.shard, (app.new_id(), id), position, 0, response).await?;
    let mut records = render::attempts(&app, platform, &[attempt]).await?;
    records.pop().map(|record| web::Json(Record(record))).ok_or(ApiError::NotFound)
}
