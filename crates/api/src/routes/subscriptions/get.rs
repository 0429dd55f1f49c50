//! `GET /v3.1/subscriptions/{subscription_id}`

use actix_web::{HttpRequest, web};

use crate::app::App;
use crate::auth::Gateway;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::wire::subscription::Subscription;
use crate::{path, render};

/// Answers a subscription of the platform.
pub async fn get(
    app: web::Data<App>,
    gateway: Gateway,
    request: HttpRequest,
) -> Result<Record<Subscription>, ApiError> {
    let id = path::id(&request, "subscription_id")?;
    render::subscription(&app, &gateway.platform, id).await.map(Record)
}
