//! Shares of requests: the holders of what a request holds, and the bounds of things other than bodies.

use std::time::Duration;

use actix_web::{HttpMessage, HttpRequest, web};
use daybook_domain::named;
use daybook_engine::share::{Bounds, Holder, Share, Shares};
use tokio::time::{Instant, sleep};

use crate::app::App;
use crate::auth::Who;
use crate::error::ApiError;
use crate::rate::Neighbourhood;

/// Proofs that are made at once: each hashes and reads as much as many reads.
const PROOFS: Bounds = Bounds { address: 4, ..Bounds::of(8) };
/// The time that a caller waits for its turn to have something proved, and the pause between two looks.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);
/// Bytes of large answers that were not sent yet.
const UNREAD: Bounds = Bounds { address: 64 << 20, ..Bounds::of(256 << 20) };

/// Bounds of a process beside those of bodies; clones share the same.
#[derive(Clone, Debug)]
pub struct Allowances {
    /// Proofs that are made.
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
    /// A place for `request` to have something proved; waited for a little.
    ///
    /// # Errors
    ///
    /// [`ApiError::Unavailable`] if none gets free.
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
    /// A thing that has a bound for all and one for each.
    pub(crate) enum Part {
        SmallBodies => "small_bodies",
        LargeBodies => "large_bodies",
        Answers => "answers",
        Proofs => "proofs",
        Handshakes => "handshakes",
    }
}

/// The answer to `request`, for which there is no room; counted.
pub(crate) fn no_room(request: &HttpRequest, part: Part) -> ApiError {
    if let Some(app) = request.app_data::<web::Data<App>>() {
        app.watching.metrics.no_room(part);
    }
    ApiError::busy()
}

/// The holders of what `request` holds, as far as they are known by now: its address, and the platform and user whose
/// credentials were good. A proxy of ours that names nobody stands for many, and holds nothing itself.
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

/// The address that `request` comes from, unless that is a proxy of ours.
pub(crate) fn address(request: &HttpRequest) -> Option<Holder> {
    let rates = &request.app_data::<web::Data<App>>()?.rates;
    let source = rates.source(request);
    let known = request.extensions().get::<Neighbourhood>().copied();
    (!rates.is_proxy(source)).then(|| known.unwrap_or_else(|| Neighbourhood::of(source)).holder())
}
