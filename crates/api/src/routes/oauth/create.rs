//! `POST /v3.1/oauth/{user_id}`

use actix_web::{Either, web};
use daybook_domain::UserId;
use daybook_engine::access::{KEY_LIFETIME_MS, MAX_REFRESH_USES, RefreshTokenCheck, Scopes};

use super::challenge;
use crate::app::{App, refuse_erased};
use crate::auth::{Gateway, PlatformOrPublicKey, dry_run, scopes};
use crate::body::Body;
use crate::envelope::Record;
use crate::error::ApiError;
use crate::path::InPath;
use crate::render;
use crate::wire::oauth::{DeviceChallenge, Oauth, OauthView, ObtainKey, render};

/// Issues an OAuth key in exchange for a refresh token. For an unknown device it answers 202 and asks for a PIN first.
#[utoipa::path(
    post, path = "/v3.1/oauth/{user_id}", operation_id = "oauth.create",
    request_body = ObtainKey,
    responses((status = 200, body = Record<Oauth>), (status = 202, body = DeviceChallenge)),
)]
pub async fn create(
    app: web::Data<App>,
    gateway: PlatformOrPublicKey<scopes::OauthPost>,
    path: InPath<UserId>,
    body: Body,
) -> Result<Either<Record<Oauth>, challenge::Challenge>, ApiError> {
    dry_run::refuse(gateway.dry_run, "calls that issue a key")?;
    let wanted = body.json::<ObtainKey>()?.parse()?;
    let user = path.ids()?;
    let found = app.engine.reads().aggregates().records(gateway.platform.shard, &[user.into()]).await?;
    refuse_erased(render::user_of(&found, &gateway.platform, user)?)?;
    check_token(&app, &gateway, user, &wanted.refresh_token).await?;
    if let Some(challenge) = challenge::device(&app, &gateway, &found, user, &wanted).await? {
        return Ok(Either::Right(challenge));
    }
    Ok(Either::Left(Record(issue(&app, &gateway, user, wanted.scopes).await?)))
}

async fn check_token(app: &App, gateway: &Gateway, user: UserId, token: &str) -> Result<(), ApiError> {
    match app.engine.access().check_refresh(&gateway.platform, user, token).await? {
        RefreshTokenCheck::Good => Ok(()),
        RefreshTokenCheck::Stale => Err(ApiError::stale_refresh_token()),
    }
}

async fn issue(app: &App, gateway: &Gateway, user: UserId, scopes: Scopes) -> Result<Oauth, ApiError> {
    let (access, platform) = (app.engine.access(), &gateway.platform);
    access.count_refresh(platform, user).await?;
    let now = app.engine.clock().now();
    let device = gateway.fingerprint.as_deref().filter(|_| gateway.wants_devices());
    let key = access.issue_key(&gateway.client, user, scopes, device, now, app.engine.entropy()).await?;
    let tokens = access.refresh_tokens(platform, &[user]).await?;
    let granted: Vec<_> = key.scopes.names().collect();
    Ok(render(&OauthView {
        client_id: &platform.client_id,
        client_name: &platform.name,
        oauth_key: &key.key,
        expires_at: key.expires_at,
        expires_in_s: KEY_LIFETIME_MS.unsigned_abs() / 1000,
        refresh_token: tokens.get(&user).map(String::as_str).unwrap_or_default(),
        refresh_expires_in: MAX_REFRESH_USES.unsigned_abs(),
        scope: &granted,
        user_id: user,
    }))
}
