//! Calls of an operator, authenticated with operator id and secret. Credentials of platforms and users are ignored
//! here.

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use daybook_domain::id::OperatorId;
use daybook_engine::Call;
use daybook_engine::access::PlatformRecord;
use futures::future::LocalBoxFuture;

use super::headers::IdAndSecret;
use super::idempotency::{self, KeyOwner};
use super::{RequestOrigin, dry_run, gateway, headers};
use crate::app::App;
use crate::body::Body;
use crate::error::ApiError;

/// An authenticated operator.
pub struct Operator {
    /// Id of the operator.
    pub id: OperatorId,
    /// Name of the person.
    pub name: String,
    /// True if the call is a dry run: nothing is recorded.
    pub dry_run: bool,
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
        Ok(Self { id: operator.id, name, dry_run, key })
    }
}

impl FromRequest for Operator {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Self::authenticate(&request).await })
    }
}
