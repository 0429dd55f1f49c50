//! A device that is not known: 202 with the places a PIN can be sent to, 202 when it was sent, then the PIN.
//!
//! The PIN of the sandbox is fixed. Without a sandbox there is nobody yet who could send one, so the device stays
//! unauthorised.

use actix_web::body::BoxBody;
use actix_web::{HttpRequest, HttpResponse, Responder};
use daybook_domain::UserId;
use daybook_projector::Records;

use crate::app::App;
use crate::auth::Gateway;
use crate::error::ApiError;
use crate::render::Opener;
use crate::wire::oauth::{DeviceChallenge, KeyRequest};

/// The PIN of the sandbox (`docs/reference/api.md`, Sandbox).
const SANDBOX_PIN: &str = "123456";

/// A 202 that asks for something before a key is given.
pub struct Challenge(DeviceChallenge);

impl Responder for Challenge {
    type Body = BoxBody;
    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::Accepted().json(self.0)
    }
}

/// What is asked of the device that calls; nothing if it is known, or has just shown the PIN.
pub(super) async fn device(
    app: &App,
    gateway: &Gateway,
    found: &Records,
    user: UserId,
    wanted: &KeyRequest,
) -> Result<Option<Challenge>, ApiError> {
    let Some(fingerprint) = &gateway.fingerprint else { return Ok(None) };
    let (access, platform) = (app.engine.access(), &gateway.platform);
    if access.knows_fingerprint(platform, user, fingerprint).await? {
        return Ok(None);
    }
    if !platform.sandbox {
        return Err(ApiError::Fingerprint);
    }
    if let Some(pin) = &wanted.validation_pin {
        if pin != SANDBOX_PIN {
            return Err(ApiError::Conflict("wrong_pin", "The validation_pin is wrong.".into()));
        }
        access.register_fingerprint(platform, user, fingerprint, app.engine.clock().now()).await?;
        return Ok(None);
    }
    let contacts = Opener::new(app, platform, found, [user]).await?.contacts(user)?;
    match &wanted.phone_number {
        None => Ok(Some(Challenge(DeviceChallenge::choose(contacts)))),
        Some(contact) if contacts.contains(contact) => Ok(Some(Challenge(DeviceChallenge::sent()))),
        Some(_) => {
            Err(ApiError::invalid("phone_number", "is not one of the user's phone numbers or e-mails"))
        }
    }
}
