//! Calls that simulate events in a sandbox, authenticated with the credentials of the sandbox platform.

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use futures::future::LocalBoxFuture;

use super::Gateway;
use crate::error::ApiError;

/// A sandbox platform that authenticated with its client id and secret. For any other platform the address does not
/// exist (404).
pub struct Sandbox(pub Gateway);

impl FromRequest for Sandbox {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let gateway = Gateway::from_request(request, payload);
        Box::pin(async move {
            let gateway = gateway.await?;
            if gateway.platform.sandbox { Ok(Self(gateway)) } else { Err(ApiError::NotFound) }
        })
    }
}
