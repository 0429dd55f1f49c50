//! Holders of resources that a request occupies, and the limits of resources other than bodies.

use std::time::Duration;

use actix_web::{HttpMessage, HttpRequest, web};
use daybook_domain::named;
use daybook_engine::share::{LimitHolder, Limits, Permit, SharedLimit};
use tokio::time::{Instant, sleep};

use crate::app::App;
use crate::auth::RequestOrigin;
use crate::error::ApiError;
use crate::rate::IpPrefix;

/// Maximum number of concurrent proofs. Each needs as much hashing and reading as many reads.
const PROOF_LIMITS: Limits = Limits { address: 4, ..Limits::of(8) };
/// Maximum time that a caller waits to start a proof, and the pause between two attempts.
const PROOF_WAIT_TIMEOUT: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Limits in bytes of large answers that are not sent yet.
const UNREAD_BYTE_LIMITS: Limits = Limits { address: 64 << 20, ..Limits::of(256 << 20) };

/// Resource limits of a process other than those of bodies; clones share them.
#[derive(Clone, Debug)]
pub struct ResourceLimits {
    /// Proofs that are being made.
    pub proofs: SharedLimit,
    /// Bytes of large answers that wait for their readers.
    pub unread: SharedLimit,
}

impl Default for ResourceLimits {
    fn default() -> Self {
        Self { proofs: SharedLimit::new(PROOF_LIMITS), unread: SharedLimit::new(UNREAD_BYTE_LIMITS) }
    }
}

impl ResourceLimits {
    /// Acquires a permit for `request` to make a proof; waits up to 2 s.
    ///
    /// # Errors
    ///
    /// [`ApiError::Unavailable`] if no permit becomes free.
    pub(crate) async fn prove(&self, request: &HttpRequest) -> Result<Permit, ApiError> {
        let until = Instant::now() + PROOF_WAIT_TIMEOUT;
        loop {
            match self.proofs.take(1, holders(request)) {
                Ok(permit) => return Ok(permit),
                Err(_) if Instant::now() < until => sleep(POLL_INTERVAL).await,
                Err(_) => return Err(limit_reached(request, LimitedResource::Proofs)),
            }
        }
    }
}

named! {
    /// A resource with a total limit and limits per holder.
    pub(crate) enum LimitedResource {
        SmallBodies => "small_bodies",
        LargeBodies => "large_bodies",
        Answers => "answers",
        Proofs => "proofs",
        Handshakes => "handshakes",
        Statements => "statements",
    }
}

/// Returns the error for a request that exceeds a limit, and counts it.
pub(crate) fn limit_reached(request: &HttpRequest, part: LimitedResource) -> ApiError {
    if let Some(app) = request.app_data::<web::Data<App>>() {
        app.observability.metrics.limit_reached(part);
    }
    ApiError::busy()
}

/// Returns the holders of the resources of `request` that are known so far: its address, and the platform and user of
/// its credentials. A trusted proxy that forwards no address stands for many clients, so it is not a holder.
pub(crate) fn holders(request: &HttpRequest) -> impl Iterator<Item = LimitHolder> + use<> {
    let who = match RequestOrigin::sent(request) {
        Some(RequestOrigin::Platform(platform)) => [Some(LimitHolder::Platform(platform.as_u128())), None],
        Some(RequestOrigin::User(platform, user)) => {
            [Some(LimitHolder::Platform(platform.as_u128())), Some(LimitHolder::User(user.as_u128()))]
        }
        Some(RequestOrigin::Operator(operator)) => [Some(LimitHolder::User(operator.as_u128())), None],
        None => [None, None],
    };
    address(request).into_iter().chain(who.into_iter().flatten())
}

/// Returns the address that `request` comes from, unless it is a trusted proxy.
pub(crate) fn address(request: &HttpRequest) -> Option<LimitHolder> {
    let rates = &request.app_data::<web::Data<App>>()?.rates;
    let source = rates.source(request);
    let known = request.extensions().get::<IpPrefix>().copied();
    (!rates.is_proxy(source)).then(|| known.unwrap_or_else(|| IpPrefix::of(source)).holder())
}
