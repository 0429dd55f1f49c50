//! Calls on behalf of a user, authenticated with an OAuth key.

use std::marker::PhantomData;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest};
use daybook_domain::{Actor, UserId};
use daybook_engine::access::{PlatformRecord, RequiredScope};
use daybook_engine::{Access, Call};
use futures::future::LocalBoxFuture;

use super::gateway::PlatformCredentials;
use super::headers::UserKey;
use super::idempotency::{self, KeyOwner};
use super::{RequestOrigin, dry_run, gateway, headers};
use crate::body::Body;
use crate::error::ApiError;
use crate::path;

/// An authenticated user. Its OAuth key is valid for the user in the path and has the scope `N`.
pub struct Caller<N: RequiredScope> {
    /// Platform of the user.
    pub platform: Arc<PlatformRecord>,
    /// Id of the user.
    pub user: UserId,
    /// True if the call also carried the platform's client id and secret. A public key does not count.
    pub by_gateway: bool,
    /// True if the call is a dry run: nothing is recorded.
    pub dry_run: bool,
    key: Option<[u8; 32]>,
    needs: PhantomData<N>,
}

impl<N: RequiredScope> Caller<N> {
    /// Returns the context of this call for the engine: actor, platform, idempotency key, dry run.
    #[must_use]
    pub fn call(&self, body: &Body) -> Call {
        let key = self.key.map(|key| (key, body.fingerprint()));
        let (shard, platform) = (self.platform.shard, Some(self.platform.id));
        Call { shard, actor: Actor::User(self.user), platform, key, dry_run: self.dry_run }
    }

    /// Returns the context of one part of a batch call. The part's own idempotency key counts as if the part had been
    /// sent to `route` alone.
    #[must_use]
    pub fn call_among(&self, request: &HttpRequest, route: &str, key: Option<&str>, body: &Body) -> Call {
        let owner = KeyOwner::User(self.platform.id, self.user);
        let key = key.map(|key| (idempotency::key_at(owner, route, request, key), body.fingerprint()));
        Call { key, ..self.call(body) }
    }

    /// Returns the context of a call whose body contains secrets: of the body only `public_part` enters the fingerprint
    /// that is stored beside the idempotency key.
    #[must_use]
    pub fn call_without_secrets(&self, public_part: &str) -> Call {
        self.call(&Body::from(Bytes::copy_from_slice(public_part.as_bytes())))
    }

    async fn authenticate(request: &HttpRequest) -> Result<Self, ApiError> {
        let app = gateway::app(request)?;
        let UserKey { key, fingerprint } = headers::user(request)?;
        if key.is_empty() {
            return Err(ApiError::NotAllowed("oauth_key_required", "This call needs an oauth_key.".into()));
        }
        let access: &Access = app.engine.access();
        // An unknown key belongs to no user. The failed attempt is counted for the user in the path.
        let whose = request.match_info().get("user_id").unwrap_or_default();
        let attempt = app.rates.attempt(request, &format!("{}|{whose}", headers::public_half(key)));
        let turn = attempt.turn().await;
        let session = access.session(key, app.engine.clock().now()).await?;
        drop(turn);
        let session = attempt.record(session, ApiError::OauthKey)?;
        if !access.is_from(&session, fingerprint) {
            // A call with another device's fingerprint uses a stolen key: the key ends, so that there is no second
            // guess.
            if !fingerprint.is_empty() {
                Box::pin(access.end_key(&session, key)).await?;
            }
            return Err(ApiError::Fingerprint);
        }
        app.rates.count_user(session.platform.id, session.user.as_u128())?;
        RequestOrigin::User(session.platform.id, session.user).note(request);
        gateway::require_shard(request, &session.platform)?;
        let by_gateway = match gateway::read_credentials(request).await? {
            Some(shown) if shown.platform().id != session.platform.id => return Err(ApiError::Credentials),
            shown => matches!(shown, Some(PlatformCredentials::Secret(_))),
        };
        if path::id::<UserId>(request)? != session.user {
            return Err(ApiError::NotFound);
        }
        if !session.scopes.has(N::SCOPE) {
            return Err(ApiError::NotAllowed(
                "scope_missing",
                "The oauth_key lacks the scope of this call.".into(),
            ));
        }
        let key = headers::idempotency_key(request)?
            .map(|key| idempotency::key(KeyOwner::User(session.platform.id, session.user), request, key));
        let dry_run = dry_run::of(request)?;
        let (platform, user) = (session.platform, session.user);
        Ok(Self { platform, user, by_gateway, dry_run, key, needs: PhantomData })
    }
}

impl<N: RequiredScope> FromRequest for Caller<N> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Self::authenticate(&request).await })
    }
}
