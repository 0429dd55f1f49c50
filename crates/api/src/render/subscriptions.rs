//! Records of subscriptions, for one and for a list.

use daybook_domain::{Key, States, SubscriptionId, subscription};
use daybook_engine::SubscriptionDetails;
use daybook_engine::access::PlatformRecord;
use daybook_engine::webhook::Attempt;
use daybook_vault::Class;

use super::{Opener, View};
use crate::app::App;
use crate::error::ApiError;
use crate::webhook::signature::SubscriptionSecret;
use crate::wire;

/// Returns the record of a subscription of `platform`.
pub(crate) async fn subscription(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    id: SubscriptionId,
) -> Result<wire::subscription::Subscription, ApiError> {
    subscriptions(app, platform, view, &[id]).await?.pop().ok_or(ApiError::NotFound)
}

/// Returns the details of a subscription of `platform`.
pub(crate) async fn subscription_details(
    app: &App,
    platform: &PlatformRecord,
    id: SubscriptionId,
) -> Result<SubscriptionDetails, ApiError> {
    let found = app.engine.reads().aggregates().records(platform.shard, &[id.into()]).await?;
    subscription_details_in(app, platform, &found, id).await
}

/// Returns the details of a subscription of `platform` as it is in `states`.
pub(crate) async fn subscription_details_in(
    app: &App,
    platform: &PlatformRecord,
    states: &(impl States + Sync),
    id: SubscriptionId,
) -> Result<SubscriptionDetails, ApiError> {
    let subscription = states.subscription(id).filter(|known| known.platform == platform.id);
    let url = subscription.ok_or(subscription::Refusal::Unknown)?.url.as_ref();
    let opener = Opener::new(app, platform, states, [platform.user]).await?;
    opener.open(platform.user, Class::Profile, url)
}

/// Returns the newest secret of a subscription of `platform`.
pub(crate) async fn subscription_secret(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    id: SubscriptionId,
) -> Result<SubscriptionSecret, ApiError> {
    let found = view.records(app, platform, &[id.into()]).await?;
    let subscription = found.subscription(id).filter(|known| known.platform == platform.id);
    let generation = subscription.ok_or(subscription::Refusal::Unknown)?.secret_generation();
    Ok(SubscriptionSecret::new(app.engine.subscription_secret(id, generation)))
}

/// Returns the records of the subscriptions among `ids` that belong to `platform`, in the same order.
pub(crate) async fn subscriptions(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    ids: &[SubscriptionId],
) -> Result<Vec<wire::subscription::Subscription>, ApiError> {
    let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
    let found = view.records(app, platform, &keys).await?;
    let opener = Opener::new(app, platform, &found, [platform.user]).await?;
    let known = ids.iter().filter_map(|id| Some((*id, found.subscription(*id)?)));
    let known = known.filter(|(_, subscription)| subscription.platform == platform.id);
    let record = |(id, subscription): (_, &subscription::Subscription)| {
        let details: SubscriptionDetails =
            opener.open(platform.user, Class::Profile, subscription.url.as_ref())?;
        Ok(wire::subscription::render(&wire::subscription::SubscriptionView {
            id,
            subscription,
            details: &details,
            client_id: &platform.client_id,
            base_url: &app.base_url,
        }))
    };
    known.map(record).collect()
}

/// Returns the ids of all subscriptions of `platform`.
pub(crate) async fn subscription_ids(
    app: &App,
    platform: &PlatformRecord,
) -> Result<Vec<SubscriptionId>, ApiError> {
    let mut ids = vec![];
    for number in 1.. {
        let page = daybook_projector::Page { number, size: 100 };
        let reads = app.engine.reads();
        let listed = reads.lists().subscriptions_of_platform(platform.shard, platform.id, page).await?;
        if listed.items.is_empty() {
            break;
        }
        ids.extend(listed.items);
    }
    Ok(ids)
}

/// Returns the records of webhook delivery attempts of `platform`'s subscriptions.
pub(crate) async fn attempts(
    app: &App,
    platform: &PlatformRecord,
    attempts: &[Attempt],
) -> Result<Vec<wire::subscription::AttemptRecord>, ApiError> {
    let nobody = daybook_projector::Records::default();
    let opener = Opener::new(app, platform, &nobody, [platform.user]).await?;
    let record = |attempt: &Attempt| {
        let beginning = opener.open(platform.user, Class::Profile, attempt.beginning.as_ref())?;
        Ok(wire::subscription::AttemptRecord::of(attempt, beginning))
    };
    attempts.iter().map(record).collect()
}
