//! How many calls somebody may make in a time, and how often it may be wrong about credentials.
//!
//! Nothing here is stored or shared between processes: each counts what it answers. What is counted is bounded, too:
//! whoever comes from many addresses makes the oldest be forgotten.

mod attempt;
mod meter;
mod pace;
mod source;

use std::net::IpAddr;
use std::time::{Duration, Instant};

use actix_web::HttpMessage;
use actix_web::HttpRequest;
use daybook_domain::{PlatformId, named};

pub(crate) use attempt::Attempt;
use attempt::Attempts;
use meter::{Meter, Wait};
pub use pace::Pace;
pub(crate) use source::Neighbourhood;
pub use source::{Network, Proxies};

use crate::error::ApiError;

/// What each may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paces {
    /// Calls from one address.
    pub address: Pace,
    /// Calls of one platform and its users.
    pub platform: Pace,
    /// Calls of one user with its OAuth keys, or of one operator.
    pub user: Pace,
    /// Agreements on keys with one address.
    pub handshakes: Pace,
    /// Wrong credentials from one address.
    pub failures_of_address: Pace,
    /// Wrong credentials for one client id, operator id, or user of a platform, from addresses that were never right.
    pub failures_of_client: Pace,
}

/// Counts calls and failures.
#[derive(Debug)]
pub struct Rates {
    address: Meter,
    platform: Meter,
    user: Meter,
    handshakes: Meter,
    attempts: Attempts,
    proxies: Proxies,
    /// Time is counted from here on: a wall clock that is set back would hold everybody up.
    began: Instant,
}

impl Default for Rates {
    /// Without limits.
    fn default() -> Self {
        Self::new(Paces::default(), Proxies::default())
    }
}

named! {
    /// Whose share was used up.
    pub enum Share {
        /// Calls from an address.
        Address => "address",
        /// Calls of a platform.
        Platform => "platform",
        /// Calls of a user, or of an operator.
        User => "user",
        /// Wrong credentials.
        Credentials => "credentials",
    }
}

impl Share {
    /// What whoever has to wait is told.
    fn used_up(self) -> impl FnOnce(Wait) -> ApiError {
        // Whole seconds, and never sooner than it helps.
        move |Wait(wait)| ApiError::TooMany { retry_after_s: wait.as_secs() + 1, share: self }
    }
}

impl Rates {
    /// Counts from now on; behind `proxies` an address is the one that they tell.
    #[must_use]
    pub fn new(paces: Paces, proxies: Proxies) -> Self {
        Self {
            address: Meter::new(paces.address),
            platform: Meter::new(paces.platform),
            user: Meter::new(paces.user),
            handshakes: Meter::new(paces.handshakes),
            attempts: Attempts::new(paces.failures_of_address, paces.failures_of_client),
            proxies,
            began: Instant::now(),
        }
    }

    /// Whether somebody at `address` speaks for others.
    pub(crate) fn is_proxy(&self, address: IpAddr) -> bool {
        self.proxies.contain(address)
    }

    /// Counts an agreement on keys with somebody at `from`, which costs as much as many calls; answers whether it may be.
    pub(crate) fn may_shake_hands(&self, from: Neighbourhood) -> bool {
        self.handshakes.take(from, self.now()).is_ok()
    }

    /// Where a request comes from; behind proxies of ours, whom they name.
    pub(crate) fn source(&self, request: &HttpRequest) -> IpAddr {
        self.proxies.source(request)
    }

    /// Counts a call from wherever it comes; it is known to the request from then on.
    ///
    /// # Errors
    ///
    /// [`ApiError::TooMany`] if there were too many.
    pub(crate) fn count_address(&self, request: &HttpRequest) -> Result<(), ApiError> {
        let source = Neighbourhood::of(self.source(request));
        request.extensions_mut().insert(source);
        self.address.take(source, self.now()).map_err(Share::Address.used_up())
    }

    /// Counts a call of a platform.
    ///
    /// # Errors
    ///
    /// As [`Rates::count_address`].
    pub(crate) fn count_platform(&self, platform: PlatformId) -> Result<(), ApiError> {
        self.platform.take(platform.as_u128(), self.now()).map_err(Share::Platform.used_up())
    }

    /// Counts a call of a user of a platform; whoever calls too often does not use up its platform's calls.
    ///
    /// # Errors
    ///
    /// As [`Rates::count_address`].
    pub(crate) fn count_user(&self, platform: PlatformId, user: u128) -> Result<(), ApiError> {
        self.user.take(user, self.now()).map_err(Share::User.used_up())?;
        self.count_platform(platform)
    }

    /// Counts a call of an operator, who is of no platform.
    ///
    /// # Errors
    ///
    /// As [`Rates::count_address`].
    pub(crate) fn count_operator(&self, operator: u128) -> Result<(), ApiError> {
        self.user.take(operator, self.now()).map_err(Share::User.used_up())
    }

    /// Credentials that whoever sent `request` shows: those of `name`, it says.
    pub(crate) fn attempt(&self, request: &HttpRequest, name: &str) -> Attempt<'_> {
        let source = request.extensions().get::<Neighbourhood>().copied().unwrap_or_default();
        self.attempts.begin(source, name, self.now())
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }
}
