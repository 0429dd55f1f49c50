//! `POST /v3.1/sandbox/users/{user_id}/verify`

use actix_web::web;
use daybook_domain::user::permit::Permit;
use daybook_domain::{Origin, UserId};

use crate::app::App;
use crate::auth::Sandbox;
use crate::body::Body;
use crate::description::params::DryRun;
use crate::envelope::{Record, WithPosition};
use crate::error::ApiError;
use crate::path::InPath;
use crate::render::{self, View};
use crate::wire::sandbox::Verify;
use crate::wire::user::User;

/// Grants a permission to a user immediately, whatever the state of its documents. Sandbox only.
#[utoipa::path(
    post, path = "/v3.1/sandbox/users/{user_id}/verify", operation_id = "sandbox.verify",
    params(DryRun),
    request_body = Verify,
    responses((status = 200, body = Record<User>)),
)]
pub async fn verify(
    app: web::Data<App>,
    Sandbox(gateway): Sandbox,
    path: InPath<UserId>,
    body: Body,
) -> Result<WithPosition<Record<User>>, ApiError> {
    let platform = &gateway.platform;
    let user = path.ids()?;
    let permission = body.json::<Verify>()?.parse()?;
    let command = Permit { user, platform: platform.id, permission, origin: Origin::simulated() };
    let done = app.engine.submit(gateway.call(&body), command).await?;
    let view = View::after(&app, platform, &done).await?;
    Ok(Record(render::user(&app, platform, view, user).await?).at(&done))
}
