//! Calls of a platform, authenticated with client id and secret, or with a public key if the handler names a scope.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use daybook_domain::{Actor, UserId};
use daybook_engine::access::{Client, PlatformRecord, PublicKey, RequiredScope};
use daybook_engine::{Access, Call};
use futures::future::LocalBoxFuture;

use super::headers::IdAndSecret;
use super::idempotency::{self, KeyOwner};
use super::{RequestOrigin, dry_run, headers};
use crate::app::App;
use crate::body::Body;
use crate::error::ApiError;
use crate::path;

/// A platform that authenticated with its client id and secret. A public key is not accepted.
pub struct Gateway {
    /// The platform.
    pub platform: Arc<PlatformRecord>,
    /// The platform, together with the client secret that the call carried or that the public key was issued under.
    pub client: Client,
    /// Fingerprint of the device that the call names; `None` if it names none.
    pub fingerprint: Option<String>,
    /// True if the call carried a public key instead of the secret.
    pub by_public_key: bool,
    /// True if the call is a dry run: nothing is recorded.
    pub dry_run: bool,
    key: Option<[u8; 32]>,
}

impl Gateway {
    /// Returns true if the fingerprints of users' devices are checked: in production, and for every call with a public
    /// key. Published clients of the sandbox send no fingerprint, or another one with each call.
    #[must_use]
    pub fn wants_devices(&self) -> bool {
        self.by_public_key || !self.platform.sandbox
    }

    /// Returns the platform's own user if this call must not see it: a public key gives access to this user only if it
    /// names it.
    #[must_use]
    pub fn hidden_user(&self) -> Option<UserId> {
        self.by_public_key.then_some(self.platform.user)
    }

    /// Returns the context of this call for the engine: actor, platform, idempotency key, dry run.
    #[must_use]
    pub fn call(&self, body: &Body) -> Call {
        let key = self.key.map(|key| (key, body.fingerprint()));
        let (shard, platform) = (self.platform.shard, Some(self.platform.id));
        Call { shard, actor: Actor::Platform, platform, key, dry_run: self.dry_run }
    }

    /// Reads the rest of the request of an authenticated `client`: fingerprint, idempotency key, dry run.
    fn of(request: &HttpRequest, client: Client, by_public_key: bool) -> Result<Self, ApiError> {
        let platform = Arc::clone(&client.platform);
        RequestOrigin::Platform(platform.id).note(request);
        require_shard(request, &platform)?;
        let fingerprint = headers::user(request)?.fingerprint;
        let fingerprint = Some(fingerprint.to_owned()).filter(|text| !text.is_empty());
        app(request)?.rates.count_platform(platform.id)?;
        let key = headers::idempotency_key(request)?
            .map(|key| idempotency::key(KeyOwner::Platform(platform.id), request, key));
        let dry_run = dry_run::of(request)?;
        Ok(Self { platform, client, fingerprint, by_public_key, dry_run, key })
    }
}

impl FromRequest for Gateway {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            match read_credentials(&request).await?.ok_or(ApiError::Credentials)? {
                PlatformCredentials::Secret(client) => Self::of(&request, client, false),
                PlatformCredentials::PublicKey(_) => Err(scope_missing()),
            }
        })
    }
}

/// A platform that authenticated with its client id and secret, or with a public key that has the scope `N`. A public
/// key for one user is valid only for calls with this user in the path.
pub struct PlatformOrPublicKey<N: RequiredScope> {
    gateway: Gateway,
    needs: PhantomData<N>,
}

impl<N: RequiredScope> Deref for PlatformOrPublicKey<N> {
    type Target = Gateway;

    fn deref(&self) -> &Gateway {
        &self.gateway
    }
}

impl<N: RequiredScope> FromRequest for PlatformOrPublicKey<N> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let (client, by_public_key) =
                match read_credentials(&request).await?.ok_or(ApiError::Credentials)? {
                    PlatformCredentials::Secret(client) => (client, false),
                    PlatformCredentials::PublicKey(key) => (opened::<N>(&request, key)?, true),
                };
            Ok(Self { gateway: Gateway::of(&request, client, by_public_key)?, needs: PhantomData })
        })
    }
}

/// Returns the client behind a public key if the key permits this call.
fn opened<N: RequiredScope>(request: &HttpRequest, key: PublicKey) -> Result<Client, ApiError> {
    if !key.scopes.has(N::SCOPE) {
        return Err(scope_missing());
    }
    if request.match_info().get("user_id").is_none() {
        // A call without a user in its path concerns the whole platform: a key for one user may not make it.
        return if key.user.is_none() { Ok(key.client) } else { Err(scope_missing()) };
    }
    let asked: UserId = path::id(request)?;
    let is_opened = match key.user {
        Some(user) => asked == user,
        // A platform pays everybody from the nodes of its own user: only a key for this user opens them.
        None => asked != key.client.platform.user,
    };
    if is_opened { Ok(key.client) } else { Err(ApiError::NotFound) }
}

fn scope_missing() -> ApiError {
    ApiError::NotAllowed("scope_missing", "The public key lacks the scope of this call.".into())
}

/// Valid credentials of a platform that a call carries.
pub(super) enum PlatformCredentials {
    /// Client id and secret.
    Secret(Client),
    /// A public key.
    PublicKey(PublicKey),
}

impl PlatformCredentials {
    /// Returns the platform that the credentials belong to.
    pub(super) fn platform(&self) -> &PlatformRecord {
        match self {
            Self::Secret(client) | Self::PublicKey(PublicKey { client, .. }) => &client.platform,
        }
    }
}

/// Reads and checks the platform's credentials of a call; returns `None` if it carries none.
///
/// # Errors
///
/// [`ApiError::Credentials`] if the credentials are wrong.
pub(super) async fn read_credentials(request: &HttpRequest) -> Result<Option<PlatformCredentials>, ApiError> {
    let Some(IdAndSecret { id: client_id, secret }) = headers::gateway(request)? else { return Ok(None) };
    let App { engine, rates, .. } = app(request)?;
    let whose = if client_id.is_empty() { headers::public_half(secret) } else { client_id };
    let attempt = rates.attempt(request, whose);
    let turn = attempt.turn().await;
    let (access, now) = (engine.access(), engine.clock().now());
    let shown = if Access::is_public_key(secret) {
        access.public_key(client_id, secret, now).await?.map(PlatformCredentials::PublicKey)
    } else {
        access.authenticate(client_id, secret, now).await?.map(PlatformCredentials::Secret)
    };
    drop(turn);
    attempt.record(shown, ApiError::Credentials).map(Some)
}

/// Fails if this process does not serve the shard of `platform`: it may be damaged, or have been added a moment ago.
///
/// # Errors
///
/// [`ApiError::Unavailable`].
pub(super) fn require_shard(request: &HttpRequest, platform: &PlatformRecord) -> Result<(), ApiError> {
    if app(request)?.engine.serves(platform.shard) {
        return Ok(());
    }
    let why = format!("this process does not serve shard {}", platform.shard);
    Err(ApiError::unavailable(&std::io::Error::other(why)))
}

/// Returns the shared state, which every route has.
pub(super) fn app(request: &HttpRequest) -> Result<&App, ApiError> {
    request.app_data::<web::Data<App>>().map(|app| &***app).ok_or(ApiError::NotFound)
}
