//! `PATCH /v3.1/subscriptions/{subscription_id}`

use actix_web::web;
use daybook_domain::{SubscriptionId, subscription};
use daybook_vault::Class;

use crate::app::App;
use crate::auth::{PlatformOrPublicKey, scopes};
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::path::InPath;
use crate::render::{self, View};
use crate::webhook::signature::SubscriptionSecret;
use crate::wire::subscription::{ChangeSubscription, Subscription};

/// Changes the URL, the scopes or the state of a subscription, or rotates its secret. A new secret is shown only in
/// this answer.
#[utoipa::path(
    patch, path = "/v3.1/subscriptions/{subscription_id}", operation_id = "subscriptions.change",
    params(DryRun),
    request_body = ChangeSubscription,
    responses((status = 200, body = Record<Subscription>)),
)]
pub async fn change(
    app: web::Data<App>,
    gateway: PlatformOrPublicKey<scopes::SubscriptionPatch>,
    path: InPath<SubscriptionId>,
    body: Body,
) -> Result<WithPosition<Record<Subscription>>, ApiError> {
    let platform = &gateway.platform;
    let id = path.ids()?;
    let new = body.json::<ChangeSubscription>()?.parse(platform.sandbox)?;
    let sealer = app.sealer(platform, platform.user).await?;
    let url = match new.details {
        Some(details) if details != render::subscription_details(&app, platform, id).await? => {
            Some(sealer.seal(Class::Profile, &details)?)
        }
        Some(_) | None => None,
    };
    let command = subscription::change::Change {
        is_active: new.is_active,
        scopes: new.scopes,
        rotates_secret: new.rotates_secret,
        url,
        ..subscription::change::Change::nothing(id, platform.id)
    };
    let done = app.engine.submit(gateway.call(&body), command).await?;
    let view = View::after(&app, platform, &done).await?;
    let changed = render::subscription(&app, platform, view, id).await?;
    if !new.rotates_secret {
        return Ok(Record(changed).at(&done));
    }
    let secret = match view {
        // A dry run shows a random secret: the real one is derived when the change is recorded.
        View::DryRun(_) => SubscriptionSecret::new(app.engine.entropy().bytes()),
        View::Now(_) | View::After(_) | View::At(_) => {
            render::subscription_secret(&app, platform, view, id).await?
        }
    };
    Ok(Record(changed.telling(&secret)).at(&done))
}
