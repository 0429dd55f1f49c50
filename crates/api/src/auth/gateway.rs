//! Calls of a platform itself, with client id and secret, or with a public key where a handler names its scope.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use daybook_domain::{Actor, UserId};
use daybook_engine::access::{Client, Needs, PlatformRecord, PublicKey};
use daybook_engine::{Access, Call};
use futures::future::LocalBoxFuture;

use super::headers::Halves;
use super::idempotency::{self, Owner};
use super::{Who, dry_run, headers};
use crate::app::App;
use crate::body::Body;
use crate::error::ApiError;
use crate::path;

/// A platform that showed its own credentials. No public key gets here.
pub struct Gateway {
    /// The platform.
    pub platform: Arc<PlatformRecord>,
    /// The platform and the secret that it showed, or under which its public key was asked for.
    pub client: Client,
    /// The device that the call says it comes from, if it does.
    pub fingerprint: Option<String>,
    /// The call showed a public key in place of the secret.
    pub by_public_key: bool,
    /// Nothing is to be carried out.
    pub dry_run: bool,
    key: Option<[u8; 32]>,
}

impl Gateway {
    /// Whether users' devices count: in production, and for whoever does not know the secret. Published clients of the
    /// sandbox name none, or another one for each call.
    #[must_use]
    pub fn wants_devices(&self) -> bool {
        self.by_public_key || !self.platform.sandbox
    }

    /// The platform's own user, if this call must not be about it: a public key must name it.
    #[must_use]
    pub fn hidden_user(&self) -> Option<UserId> {
        self.by_public_key.then_some(self.platform.user)
    }

    /// How the engine is told about this call.
    #[must_use]
    pub fn call(&self, body: &Body) -> Call {
        let key = self.key.map(|key| (key, body.fingerprint()));
        Call { actor: Actor::Platform, platform: Some(self.platform.id), key, dry_run: self.dry_run }
    }

    /// What a request of `client` says.
    fn of(request: &HttpRequest, client: Client, by_public_key: bool) -> Result<Self, ApiError> {
        let platform = Arc::clone(&client.platform);
        Who::Platform(platform.id).note(request);
        let fingerprint = headers::user(request)?.fingerprint;
        let fingerprint = Some(fingerprint.to_owned()).filter(|text| !text.is_empty());
        app(request)?.rates.count_platform(platform.id)?;
        let key = headers::idempotency_key(request)?
            .map(|key| idempotency::key(Owner::Platform(platform.id), request, key));
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
            match shown(&request).await?.ok_or(ApiError::Credentials)? {
                Shown::Secret(client) => Self::of(&request, client, false),
                Shown::PublicKey(_) => Err(scope_missing()),
            }
        })
    }
}

/// A platform that showed its own credentials, or a public key of its own that has the scope `N` and is about the user
/// in the path, if it is about one alone.
pub struct Keyed<N: Needs> {
    gateway: Gateway,
    needs: PhantomData<N>,
}

impl<N: Needs> Deref for Keyed<N> {
    type Target = Gateway;

    fn deref(&self) -> &Gateway {
        &self.gateway
    }
}

impl<N: Needs> FromRequest for Keyed<N> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let (client, by_public_key) = match shown(&request).await?.ok_or(ApiError::Credentials)? {
                Shown::Secret(client) => (client, false),
                Shown::PublicKey(key) => (opened::<N>(&request, key)?, true),
            };
            Ok(Self { gateway: Gateway::of(&request, client, by_public_key)?, needs: PhantomData })
        })
    }
}

/// The platform whose call a public key opens.
fn opened<N: Needs>(request: &HttpRequest, key: PublicKey) -> Result<Client, ApiError> {
    if !key.scopes.has(N::SCOPE) {
        return Err(scope_missing());
    }
    if request.match_info().get("user_id").is_none() {
        // What is about nobody is about everybody.
        return if key.user.is_none() { Ok(key.client) } else { Err(scope_missing()) };
    }
    let asked: UserId = path::id(request)?;
    let is_opened = match key.user {
        Some(user) => asked == user,
        // From its own user's nodes a platform pays everybody.
        None => asked != key.client.platform.user,
    };
    if is_opened { Ok(key.client) } else { Err(ApiError::NotFound) }
}

fn scope_missing() -> ApiError {
    ApiError::NotAllowed("scope_missing", "The public key lacks the scope of this call.".into())
}

/// What a call shows of a platform.
pub(super) enum Shown {
    /// Its client id and secret.
    Secret(Client),
    /// A public key that is good.
    PublicKey(PublicKey),
}

impl Shown {
    /// Whose it is.
    pub(super) fn platform(&self) -> &PlatformRecord {
        match self {
            Self::Secret(client) | Self::PublicKey(PublicKey { client, .. }) => &client.platform,
        }
    }
}

/// The credentials that the call carries; none if it carries none.
///
/// # Errors
///
/// [`ApiError::Credentials`] if it carries wrong ones.
pub(super) async fn shown(request: &HttpRequest) -> Result<Option<Shown>, ApiError> {
    let Some(Halves { id: client_id, secret }) = headers::gateway(request)? else { return Ok(None) };
    let App { engine, rates, .. } = app(request)?;
    let whose = if client_id.is_empty() { headers::public_half(secret) } else { client_id };
    let attempt = rates.attempt(request, whose);
    let turn = attempt.turn().await;
    let (access, now) = (engine.access(), engine.clock().now());
    let shown = if Access::is_public_key(secret) {
        access.public_key(client_id, secret, now).await?.map(Shown::PublicKey)
    } else {
        access.authenticate(client_id, secret, now).await?.map(Shown::Secret)
    };
    drop(turn);
    attempt.judged(shown, ApiError::Credentials).map(Some)
}

/// The shared state; every route has it.
pub(super) fn app(request: &HttpRequest) -> Result<&App, ApiError> {
    request.app_data::<web::Data<App>>().map(|app| &***app).ok_or(ApiError::NotFound)
}
