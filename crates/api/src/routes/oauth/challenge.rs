//! A device that is not known: 202 with the places a PIN can be sent to, 202 when it was sent, then the PIN.
//!
//! The PIN of the sandbox is fixed. Without a sandbox there is nobody yet who could send one, so the device stays
//! unauthorised. Who names no device comes from one that is not known, and has none that could be registered (ADR 59).

use actix_web::body::BoxBody;
use actix_web::{HttpRequest, HttpResponse, Responder};
use daybook_domain::UserId;
use daybook_engine::access::PlatformRecord;
use daybook_projector::Records;

use crate::app::App;
use crate::auth::Gateway;
use crate::error::ApiError;
use crate::rate::Share;
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
    let (access, platform) = (app.engine.access(), &gateway.platform);
    let named = gateway.fingerprint.as_deref();
    if named.is_none() && !gateway.wants_devices() {
        return Ok(None);
    }
    if access.knows_fingerprint(platform, user, named.unwrap_or_default()).await? {
        return Ok(None);
    }
    let fingerprint = named.filter(|_| platform.sandbox).ok_or(ApiError::Fingerprint)?;
    if let Some(pin) = &wanted.validation_pin {
        check_pin(app, platform, user, pin).await?;
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

/// Refuses a PIN that is wrong, and any after too many.
async fn check_pin(app: &App, platform: &PlatformRecord, user: UserId, pin: &str) -> Result<(), ApiError> {
    let access = app.engine.access();
    if let Some(wait_ms) = access.take_pin_guess(platform, user, app.engine.clock().now()).await? {
        let retry_after_s = wait_ms.unsigned_abs() / 1_000 + 1;
        return Err(ApiError::TooMany { retry_after_s, share: Share::Credentials });
    }
    if pin != SANDBOX_PIN {
        return Err(ApiError::Conflict("wrong_pin", "The validation_pin is wrong.".into()));
    }
    Ok(access.clear_pin_guesses(platform, user).await?)
}
