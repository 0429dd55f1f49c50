//! Makes a webhook call from an event and a subscription. The call is not stored: the next attempt makes it again, with
//! the URL and the secret of that time and the record of the event.

use std::sync::Arc;

use daybook_domain::subscription::{Notice, Subscription};
use daybook_domain::{Key, State, States, SubscriptionId, Timestamp};
use daybook_engine::access::PlatformRecord;
use daybook_outbound::guarded::Call;
use daybook_projector::Records;

use super::render;
use super::signature::{Signed, SubscriptionSecret};
use crate::app::App;
use crate::error::ApiError;
use crate::render as records;

/// A call that is ready to be sent.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Id of the event, the same at every attempt.
    pub event_id: String,
    /// Id of the event as a number.
    pub event: u128,
    /// Platform of the subscription.
    pub platform: Arc<PlatformRecord>,
    /// Record that the event concerns. Calls about one record are made in order.
    pub about: Key,
    /// The call.
    pub call: Call,
}

/// Returns the call that delivers the event at `position` to `subscription`, signed at `now`. Returns `None` if there
/// is nothing to deliver: the subscription is inactive, belongs to another platform, or does not include this kind of
/// event.
///
/// # Errors
///
/// [`ApiError::Unavailable`] if the log or the vault is unavailable; [`ApiError::Internal`] if stored data is invalid.
pub async fn prepare(
    app: &App,
    shard: i16,
    subscription: SubscriptionId,
    position: u64,
    now: Timestamp,
) -> Result<Option<Prepared>, ApiError> {
    let Some(happened) = app.engine.reads().aggregates().event_at(shard, position).await? else {
        return Ok(None);
    };
    let Some(notice) = Notice::of(&happened.event) else { return Ok(None) };
    let keys = [subscription.into(), happened.platform.into()];
    let found = app.engine.reads().aggregates().records(shard, &keys).await?;
    let known = found.subscription(subscription);
    let known = known.filter(|known| known.is_active && known.platform == happened.platform);
    let Some(known) = known else { return Ok(None) };
    let Some(scope) = notice.scope(&known.scopes) else { return Ok(None) };
    let platform =
        app.engine.access().current_platform(happened.platform).await?.ok_or(ApiError::NotFound)?;

    let body = render::body(app, &platform, &happened, notice, scope).await?;
    let event_id = render::event_id(&happened);
    let signed = Signed {
        event_id: &event_id,
        at_s: now.ms().div_euclid(1000),
        body: &body,
        object_id: &render::object_id(&happened),
        client_id: &platform.client_id,
    };
    let client_secret = app.engine.access().client_secret(&platform, now)?;
    let secrets = secrets(app, subscription, known, platforms_time(&found, &platform, now));
    let headers =
        signed.headers(&secrets, client_secret.as_ref()).map_err(|error| ApiError::internal(&error))?;
    let url = records::subscription_details_in(app, &platform, &found, subscription).await?.url;
    let call = Call { url, in_the_clear: platform.sandbox, headers, body: body.into() };
    Ok(Some(Prepared { event_id, event: happened.event_id, platform, about: happened.key, call }))
}

/// Returns the secrets that are valid at `now`, the newest first.
fn secrets(app: &App, id: SubscriptionId, known: &Subscription, now: Timestamp) -> Vec<SubscriptionSecret> {
    let secret = |generation| SubscriptionSecret::new(app.engine.subscription_secret(id, generation));
    known.signing_generations(now).map(secret).collect()
}

/// Returns the platform's time when the wall clock says `now`. A rotation of the secret is timed by the platform's
/// clock.
fn platforms_time(found: &Records, platform: &PlatformRecord, now: Timestamp) -> Timestamp {
    match found.state(Key::from(platform.id)) {
        Some(State::Platform(state)) => Timestamp::from_ms(now.ms().saturating_add(state.clock_ms)),
        _ => now,
    }
}
