//! Calls of an operator, authenticated with operator id and secret. Credentials of platforms and users are ignored
//! here.

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use daybook_domain::PlatformId;
use daybook_domain::id::OperatorId;
use daybook_domain::roles::Right;
use daybook_engine::Call;
use daybook_engine::access::PlatformRecord;
use daybook_engine::ops::Rights;
use futures::future::LocalBoxFuture;

use super::headers::IdAndSecret;
use super::idempotency::{self, KeyOwner};
use super::rights::{self, Needed};
use super::{RequestOrigin, dry_run, gateway, headers};
use crate::app::App;
use crate::body::Body;
use crate::error::ApiError;
use crate::path::PlatformName;

/// An authenticated operator.
pub struct Operator {
    /// Id of the operator.
    pub id: OperatorId,
    /// Name of the person.
    pub name: String,
    /// True if the call is a dry run: nothing is recorded.
    pub dry_run: bool,
    /// Rights on the platform in the path.
    rights: Rights,
    key: Option<[u8; 32]>,
}

impl Operator {
    /// Returns the context of this call on `platform` for the engine: shard, actor, idempotency key, dry run.
    #[must_use]
    pub fn call(&self, platform: &PlatformRecord, body: &Body) -> Call {
        let key = self.key.map(|key| (key, body.fingerprint()));
        Call { key, dry_run: self.dry_run, ..Call::by_operator(self.id, platform.shard) }
    }

    async fn authenticate(request: &HttpRequest) -> Result<Self, ApiError> {
        let IdAndSecret { id, secret } = headers::operator(request)?.ok_or(ApiError::Credentials)?;
        let App { engine, rates, .. } = gateway::app(request)?;
        let attempt = rates.attempt(request, id);
        let turn = attempt.turn().await;
        let operator = engine.access().authenticate_operator(id, secret).await?;
        drop(turn);
        let operator = attempt.record(operator.into(), ApiError::Credentials)?;
        rates.count_operator(operator.id.as_u128())?;
        RequestOrigin::Operator(operator.id).note(request);
        let key = headers::idempotency_key(request)?
            .map(|key| idempotency::key(KeyOwner::Operator(operator.id), request, key));
        let (name, dry_run) = (operator.name.clone(), dry_run::of(request)?);
        let rights = Self::rights(request, operator.id).await?;
        Ok(Self { id: operator.id, name, dry_run, rights, key })
    }

    /// Returns the rights of an operator on the platform in the path, if they allow the call. A platform on which it has
    /// none does not exist for it.
    async fn rights(request: &HttpRequest, id: OperatorId) -> Result<Rights, ApiError> {
        let app = gateway::app(request)?;
        let platform = match request.match_info().get("platform").map(str::parse::<PlatformName>) {
            Some(Ok(name)) => name.find(app).await.map(|found| Some(found.id)).or_else(unless_unknown)?,
            Some(Err(())) | None => None,
        };
        let rights = app.engine.rights(id, platform).await?;
        match rights::needed(request) {
            Some(Needed::Nothing) => Ok(rights),
            Some(Needed::OnPlatform(_)) if rights.are_none() => Err(ApiError::NotFound),
            Some(Needed::OnPlatform(right)) if rights.have(right) => Ok(rights),
            Some(Needed::OnPlatform(_)) | None => Err(not_allowed()),
        }
    }

    /// Checks that the operator has a right beyond that of the call.
    ///
    /// # Errors
    ///
    /// [`ApiError::NotAllowed`] if it has not.
    pub fn require(&self, right: Right) -> Result<(), ApiError> {
        if self.rights.have(right) { Ok(()) } else { Err(not_allowed()) }
    }
}

/// An unknown platform is no error yet: the handler reports it to operators of all platforms.
fn unless_unknown(error: ApiError) -> Result<Option<PlatformId>, ApiError> {
    if matches!(error, ApiError::NotFound) { Ok(None) } else { Err(error) }
}

fn not_allowed() -> ApiError {
    ApiError::NotAllowed("role_required", "The roles of this operator do not allow this call.".into())
}

impl FromRequest for Operator {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Self::authenticate(&request).await })
    }
}
