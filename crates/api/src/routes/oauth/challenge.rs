//! Authorization of an unknown device: 202 with the contacts to which a PIN can be sent, 202 when it was sent, then the
//! PIN.
//!
//! The PIN of the sandbox is fixed. In production no service sends PINs yet, so an unknown device stays unauthorised. A
//! call without a fingerprint comes from an unknown device, which cannot be registered (ADR 59).

use actix_web::body::BoxBody;
use actix_web::{HttpRequest, HttpResponse, Responder};
use daybook_domain::UserId;
use daybook_engine::access::PlatformRecord;
use daybook_projector::Records;

use crate::app::App;
use crate::auth::Gateway;
use crate::error::ApiError;
use crate::rate::LimitedBy;
use crate::render::Opener;
use crate::wire::oauth::{DeviceChallenge, KeyRequest};

/// PIN of the sandbox (`docs/reference/api.md`, Sandbox).
const SANDBOX_PIN: &str = "123456";

/// Answer 202 that asks for a contact or a PIN before a key is issued.
pub struct Challenge(DeviceChallenge);

impl Responder for Challenge {
    type Body = BoxBody;
    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::Accepted().json(self.0)
    }
}

/// Returns the challenge for the calling device; `None` if the device is known or the PIN was right.
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

/// Checks the PIN; refuses any PIN after too many wrong ones.
async fn check_pin(app: &App, platform: &PlatformRecord, user: UserId, pin: &str) -> Result<(), ApiError> {
    let access = app.engine.access();
    if let Some(wait_ms) = access.take_pin_guess(platform, user, app.engine.clock().now()).await? {
        let retry_after_s = wait_ms.unsigned_abs() / 1_000 + 1;
        return Err(ApiError::TooMany { retry_after_s, share: LimitedBy::Credentials });
    }
    if pin != SANDBOX_PIN {
        return Err(ApiError::Conflict("wrong_pin", "The validation_pin is wrong.".into()));
    }
    Ok(access.clear_pin_guesses(platform, user).await?)
}
