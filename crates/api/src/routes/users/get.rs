//! `GET /v3.1/users/{user_id}`

use actix_web::{HttpRequest, web};
use daybook_domain::{Key, UserId};

use crate::app::App;
use crate::auth::Gateway;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::path;
use crate::render;
use crate::wire::user::User;

/// Answers a user of the platform, with the refresh token that is good now.
pub async fn get(
    app: web::Data<App>,
    gateway: Gateway,
    request: HttpRequest,
) -> Result<Record<User>, ApiError> {
    let id: UserId = path::id(&request, "user_id")?;
    let platform = &gateway.platform;
    let (reads, key) = (app.engine.reads(), [Key::from(id)]);
    let (found, timelines) =
        futures::try_join!(reads.records(platform.shard, &key), reads.timelines(platform.shard, &key))?;
    render::user_of(&found, platform, id)?;
    let tokens = app.engine.access().refresh_tokens(platform, &[id]).await?;
    let token = tokens.get(&id).map(String::as_str).unwrap_or_default();
    let events = timelines.get(&key[0]).map(Vec::as_slice).unwrap_or_default();
    Ok(Record(render::Opener::new(&app, platform, &found, [id]).await?.user(id, token, events)?))
}
