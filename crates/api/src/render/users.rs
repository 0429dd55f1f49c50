//! Records of users.

use daybook_domain::UserId;
use daybook_engine::access::PlatformRecord;

use super::{Opener, user_of};
use crate::app::App;
use crate::error::ApiError;
use crate::wire;

/// The record of one of the platform's users, with the refresh token that is good now.
pub(crate) async fn user(
    app: &App,
    platform: &PlatformRecord,
    id: UserId,
) -> Result<wire::user::User, ApiError> {
    let found = app.engine.reads().records(platform.shard, &[id.into()]).await?;
    user_of(&found, platform, id)?;
    let tokens = app.engine.access().refresh_tokens(platform, &[id]).await?;
    let token = tokens.get(&id).map(String::as_str).unwrap_or_default();
    Opener::new(app, platform, &found, [id]).await?.user(id, token)
}
