//! `POST /v3.1/subscriptions`

use actix_web::web;
use daybook_domain::{SubscriptionId, subscription};
use daybook_engine::access::PlatformRecord;
use daybook_engine::webhook::MAX_SUBSCRIPTIONS;
use daybook_vault::Class;

use crate::app::App;
use crate::auth::{PlatformOrPublicKey, scopes};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::page::Page;
use crate::render::{self, View};
use crate::webhook::signature::SubscriptionSecret;
use crate::wire::subscription::{CreateSubscription, Subscription};

/// Creates a subscription: the platform's URL receives a webhook for each matching event. The secret that signs the
/// webhooks is shown only in this answer.
#[utoipa::path(
    post, path = "/v3.1/subscriptions", operation_id = "subscriptions.create",
    params(DryRun),
    request_body = CreateSubscription,
    responses((status = 200, body = Record<Subscription>)),
)]
pub async fn create(
    app: web::Data<App>,
    gateway: PlatformOrPublicKey<scopes::SubscriptionsPost>,
    body: Body,
) -> Result<WithPosition<Record<Subscription>>, ApiError> {
    let platform = &gateway.platform;
    let new = body.json::<CreateSubscription>()?.parse(platform.sandbox)?;
    let sealer = app.sealer(platform, platform.user).await?;
    let id = SubscriptionId::from_u128(app.new_id());
    let url = sealer.seal(Class::Profile, &new.details)?;
    let command = subscription::create::Create { id, platform: platform.id, scopes: new.scopes, url };
    let call = gateway.call(&body);
    let turn = app.engine.concurrency_limits().subscribe(platform.id).await?;
    if has_all(&app, platform).await? {
        app.engine.refuse_used_key(&call).await?;
        let text = format!("A platform has {MAX_SUBSCRIPTIONS} subscriptions at most, active or not.");
        return Err(ApiError::Conflict("too_many_subscriptions", text.into()));
    }
    let done = app.engine.submit(call, command).await?;
    drop(turn);
    let view = View::after(&app, platform, &done).await?;
    let made = render::subscription(&app, platform, view, id).await?;
    let secret = SubscriptionSecret::new(app.engine.subscription_secret(id, 0));
    Ok(Record(made.telling(&secret)).at(&done))
}

/// Returns true if the platform has reached its maximum number of subscriptions.
async fn has_all(app: &App, platform: &PlatformRecord) -> Result<bool, ApiError> {
    let page = Page::default().into();
    let known =
        app.engine.reads().lists().subscriptions_of_platform(platform.shard, platform.id, page).await?;
    Ok(known.total >= MAX_SUBSCRIPTIONS)
}
