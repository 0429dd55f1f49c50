//! Holders of resources that a request occupies, and the limits of resources other than bodies.

use std::time::Duration;

use actix_web::{HttpMessage, HttpRequest, web};
use daybook_domain::named;
use daybook_engine::share::{Bounds, Holder, Share, Shares};
use tokio::time::{Instant, sleep};

use crate::app::App;
use crate::auth::Who;
use crate::error::ApiError;
use crate::rate::Neighbourhood;

/// Maximum number of concurrent proofs. Each needs as much hashing and reading as many reads.
const PROOFS: Bounds = Bounds { address: 4, ..Bounds::of(8) };
/// Maximum time that a caller waits to start a proof, and the pause between two attempts.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);
/// Limits in bytes of large answers that are not sent yet.
const UNREAD: Bounds = Bounds { address: 64 << 20, ..Bounds::of(256 << 20) };

/// Resource limits of a process other than those of bodies; clones share them.
#[derive(Clone, Debug)]
pub struct Allowances {
    /// Proofs that are being made.
    pub proofs: Shares,
    /// Bytes of large answers that wait for their readers.
    pub unread: Shares,
}

impl Default for Allowances {
    fn default() -> Self {
        Self { proofs: Shares::new(PROOFS), unread: Shares::new(UNREAD) }
    }
}

impl Allowances {
    /// Acquires a permit for `request` to make a proof; waits up to 2 s.
    ///
    /// # Errors
    ///
    /// [`ApiError::Unavailable`] if no permit becomes free.
    pub(crate) async fn prove(&self, request: &HttpRequest) -> Result<Share, ApiError> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.proofs.take(1, holders(request)) {
                Ok(share) => return Ok(share),
                Err(_) if Instant::now() < until => sleep(PAUSE).await,
                Err(_) => return Err(no_room(request, Part::Proofs)),
            }
        }
    }
}

named! {
    /// A resource with a total limit and limits per holder.
    pub(crate) enum Part {
        SmallBodies => "small_bodies",
        LargeBodies => "large_bodies",
        Answers => "answers",
        Proofs => "proofs",
        Handshakes => "handshakes",
    }
}

/// Returns the error for a request that exceeds a limit, and counts it.
pub(crate) fn no_room(request: &HttpRequest, part: Part) -> ApiError {
    if let Some(app) = request.app_data::<web::Data<App>>() {
        app.watching.metrics.no_room(part);
    }
    ApiError::busy()
}

/// Returns the holders of the resources of `request` that are known so far: its address, and the platform and user of
/// its credentials. A trusted proxy that forwards no address stands for many clients, so it is not a holder.
pub(crate) fn holders(request: &HttpRequest) -> impl Iterator<Item = Holder> + use<> {
    let who = match Who::sent(request) {
        Some(Who::Platform(platform)) => [Some(Holder::Platform(platform.as_u128())), None],
        Some(Who::User(platform, user)) => {
            [Some(Holder::Platform(platform.as_u128())), Some(Holder::User(user.as_u128()))]
        }
        Some(Who::Operator(operator)) => [Some(Holder::User(operator.as_u128())), None],
        None => [None, None],
    };
    address(request).into_iter().chain(who.into_iter().flatten())
}

/// Returns the address that `request` comes from, unless it is a trusted proxy.
pub(crate) fn address(request: &HttpRequest) -> Option<Holder> {
    let rates = &request.app_data::<web::Data<App>>()?.rates;
    let source = rates.source(request);
    let known = request.extensions().get::<Neighbourhood>().copied();
    (!rates.is_proxy(source)).then(|| known.unwrap_or_else(|| Neighbourhood::of(source)).holder())
}
