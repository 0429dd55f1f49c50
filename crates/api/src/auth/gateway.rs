//! Calls of a platform itself, with client id and secret.

use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use daybook_domain::Actor;
use daybook_engine::Call;
use daybook_engine::access::PlatformRecord;
use futures::future::LocalBoxFuture;

use super::idempotency::{self, Owner};
use super::{dry_run, headers};
use crate::app::App;
use crate::body::Body;
use crate::error::ApiError;

/// A platform that showed its credentials.
pub struct Gateway {
    /// The platform.
    pub platform: Arc<PlatformRecord>,
    /// The device that the call says it comes from, if it does.
    pub fingerprint: Option<String>,
    /// Nothing is to be carried out.
    pub dry_run: bool,
    key: Option<[u8; 32]>,
}

impl Gateway {
    /// How the engine is told about this call.
    #[must_use]
    pub fn call(&self, body: &Body) -> Call {
        let key = self.key.map(|key| (key, body.fingerprint()));
        Call { actor: Actor::Platform, key, dry_run: self.dry_run }
    }
}

impl FromRequest for Gateway {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let platform = platform(&request).await?.ok_or(ApiError::Credentials)?;
            let (_, fingerprint) = headers::user(&request)?;
            let fingerprint = Some(fingerprint.to_owned()).filter(|text| !text.is_empty());
            let key = headers::idempotency_key(&request)?
                .map(|key| idempotency::key(Owner::Platform(platform.id), &request, key));
            let dry_run = dry_run::of(&request)?;
            Ok(Self { platform, fingerprint, dry_run, key })
        })
    }
}

/// The platform whose credentials the call carries; none if it carries none.
///
/// # Errors
///
/// [`ApiError::Credentials`] if it carries wrong ones.
pub(super) async fn platform(request: &HttpRequest) -> Result<Option<Arc<PlatformRecord>>, ApiError> {
    let Some((client_id, secret)) = headers::gateway(request)? else { return Ok(None) };
    let app = app(request)?;
    let platform = app.engine.access().authenticate(client_id, secret).await?;
    platform.ok_or(ApiError::Credentials).map(Some)
}

/// The shared state; every route has it.
pub(super) fn app(request: &HttpRequest) -> Result<&App, ApiError> {
    request.app_data::<web::Data<App>>().map(|app| &***app).ok_or(ApiError::NotFound)
}
