//! `GET /v3.1/client?issue_public_key=YES`

use actix_web::web;

use crate::app::App;
use crate::auth::Gateway;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::render;
use crate::wire::public_key::{self, Issued, Wanted};

/// Issues a public key, with which a user's device may make some of the platform's calls for 15 minutes. Requires the
/// client secret; a public key cannot issue another one.
#[utoipa::path(
    get, path = "/v3.1/client", operation_id = "client.public_key",
    responses((status = 200, body = Record<Issued>)),
)]
pub async fn issue_public_key(
    app: web::Data<App>,
    gateway: Gateway,
    wanted: InQuery<Wanted>,
) -> Result<Record<Issued>, ApiError> {
    let platform = &gateway.platform;
    let wanted = wanted.values()?;
    if let Some(user) = wanted.user {
        let found = app.engine.reads().aggregates().records(platform.shard, &[user.into()]).await?;
        render::user_of(&found, platform, user).map_err(|_| ApiError::nothing_at(public_key::USER))?;
    }
    let (access, now) = (app.engine.access(), app.engine.clock().now());
    let issued = access.issue_public_key(&gateway.client, wanted.scopes, wanted.user, now);
    Ok(Record(public_key::render(platform, wanted, issued)))
}
