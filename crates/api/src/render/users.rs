//! Records of users.

use daybook_domain::{Key, UserId};
use daybook_engine::access::PlatformRecord;

use super::{Opener, View, user_of};
use crate::app::App;
use crate::error::ApiError;
use crate::wire;

/// Returns the record of one of the platform's users, with the current refresh token.
pub(crate) async fn user(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    id: UserId,
) -> Result<wire::user::User, ApiError> {
    users(app, platform, view, &[id]).await?.pop().ok_or(ApiError::NotFound)
}

/// Returns the record of one of the platform's users without a refresh token.
pub(crate) async fn user_without_token(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    id: UserId,
) -> Result<wire::user::User, ApiError> {
    let found = view.records(app, platform, &[id.into()]).await?;
    user_of(&found, platform, id)?;
    Opener::new(app, platform, &found, [id]).await?.user(id, "")
}

/// Returns the records of the users among `ids` that belong to the platform, in the same order.
pub(crate) async fn users(
    app: &App,
    platform: &PlatformRecord,
    view: View<'_>,
    ids: &[UserId],
) -> Result<Vec<wire::user::User>, ApiError> {
    let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
    let found = view.records(app, platform, &keys).await?;
    let ids: Vec<_> = ids.iter().copied().filter(|id| user_of(&found, platform, *id).is_ok()).collect();
    let tokens = app.engine.access().refresh_tokens(platform, &ids).await?;
    let opener = Opener::new(app, platform, &found, ids.iter().copied()).await?;
    let token = |id| tokens.get(id).map(String::as_str).unwrap_or_default();
    ids.iter().map(|id| opener.user(*id, token(id))).collect()
}
