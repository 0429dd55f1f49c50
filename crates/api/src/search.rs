//! Finding users by a name or a login: what they are found by goes into the blind index before the user changes, and
//! what is not true any more goes out of it after.

use daybook_domain::UserId;
use daybook_engine::Profile;
use daybook_engine::access::PlatformRecord;
use daybook_vault::blind_index::Tenant;
use uuid::Uuid;

use crate::app::App;
use crate::error::ApiError;

/// Whose users are looked for.
pub(crate) fn tenant(platform: &PlatformRecord) -> Tenant {
    Tenant { shard: platform.shard, id: Uuid::from_u128(platform.id.as_u128()) }
}

/// What a user is found by.
pub(crate) fn texts(profile: &Profile) -> Vec<&str> {
    let logins = profile.logins.iter().map(|login| login.email.as_str());
    profile.legal_names.iter().map(String::as_str).chain(logins).collect()
}

/// From now on the user is found by what stands in `profile`, too.
pub(crate) async fn add(
    app: &App,
    platform: &PlatformRecord,
    user: UserId,
    profile: &Profile,
) -> Result<(), ApiError> {
    let subject = Uuid::from_u128(user.as_u128());
    Ok(app.engine.vault().index(tenant(platform), subject, &texts(profile)).await?)
}

/// From now on the user is found by nothing else; by nothing at all if there is no profile. What is left over if this
/// fails is found out when it is found: the answer is confirmed on the opened box.
pub(crate) async fn keep(app: &App, platform: &PlatformRecord, user: UserId, profile: Option<&Profile>) {
    let subject = Uuid::from_u128(user.as_u128());
    let texts = profile.map(texts).unwrap_or_default();
    if let Err(error) = app.engine.vault().keep_indexed(tenant(platform), subject, &texts).await {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "a name that is gone can still be looked for"
        );
    }
}
