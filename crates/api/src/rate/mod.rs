//! Rate limits of calls and of wrong credentials.
//!
//! Counts are neither stored nor shared between processes: each process counts the calls that it answers. The number of
//! counters is bounded: calls from many addresses replace the oldest ones.

mod attempt;
mod limit;
mod source;
mod token_buckets;

use std::net::IpAddr;
use std::time::{Duration, Instant};

use actix_web::HttpMessage;
use actix_web::HttpRequest;
use daybook_domain::{PlatformId, named};

pub(crate) use attempt::Attempt;
use attempt::Attempts;
pub use limit::RateLimit;
pub(crate) use source::IpPrefix;
pub use source::{Network, Proxies};
use token_buckets::{RetryAfter, TokenBuckets};

use crate::error::ApiError;

/// Rate limits of all kinds of callers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateLimits {
    /// Calls from one address.
    pub address: RateLimit,
    /// Calls of one platform and its users.
    pub platform: RateLimit,
    /// Calls of one user with OAuth keys, or of one operator.
    pub user: RateLimit,
    /// TLS handshakes with one address.
    pub handshakes: RateLimit,
    /// Wrong credentials from one address.
    pub failures_of_address: RateLimit,
    /// Wrong credentials for one client id, operator id, or user of a platform, from addresses that were never right.
    pub failures_of_client: RateLimit,
}

/// Counters of calls and of wrong credentials.
#[derive(Debug)]
pub struct RateLimiter {
    address: TokenBuckets,
    platform: TokenBuckets,
    user: TokenBuckets,
    handshakes: TokenBuckets,
    attempts: Attempts,
    proxies: Proxies,
    /// Start of the counters' monotonic time. A wall clock that is set back would block callers.
    began: Instant,
}

impl Default for RateLimiter {
    /// Makes counters without limits.
    fn default() -> Self {
        Self::new(RateLimits::default(), Proxies::default())
    }
}

named! {
    /// Rate limit that a call used up.
    pub enum LimitedBy {
        /// Calls from an address.
        Address => "address",
        /// Calls of a platform.
        Platform => "platform",
        /// Calls of a user or an operator.
        User => "user",
        /// Wrong credentials.
        Credentials => "credentials",
    }
}

impl LimitedBy {
    /// Returns the error for a caller that has to wait.
    fn used_up(self) -> impl FnOnce(RetryAfter) -> ApiError {
        // Rounded up to whole seconds, so that the caller does not retry too early.
        move |RetryAfter(wait)| ApiError::TooMany { retry_after_s: wait.as_secs() + 1, share: self }
    }
}

impl RateLimiter {
    /// Makes counters; if the peer is one of `proxies`, the address that it forwards counts.
    #[must_use]
    pub fn new(limits: RateLimits, proxies: Proxies) -> Self {
        Self {
            address: TokenBuckets::new(limits.address),
            platform: TokenBuckets::new(limits.platform),
            user: TokenBuckets::new(limits.user),
            handshakes: TokenBuckets::new(limits.handshakes),
            attempts: Attempts::new(limits.failures_of_address, limits.failures_of_client),
            proxies,
            began: Instant::now(),
        }
    }

    /// Returns true if `address` is a trusted proxy.
    pub(crate) fn is_proxy(&self, address: IpAddr) -> bool {
        self.proxies.contain(address)
    }

    /// Counts a TLS handshake with `from`, which costs as much as many calls; returns true if it is within the limit.
    pub(crate) fn may_shake_hands(&self, from: IpPrefix) -> bool {
        self.handshakes.take(from, self.now()).is_ok()
    }

    /// Returns the address that a request comes from; behind trusted proxies, the one that they forward.
    pub(crate) fn source(&self, request: &HttpRequest) -> IpAddr {
        self.proxies.source(request)
    }

    /// Counts a call from its source address, and records the source in the request's extensions.
    ///
    /// # Errors
    ///
    /// [`ApiError::TooMany`] if the limit is exceeded.
    pub(crate) fn count_address(&self, request: &HttpRequest) -> Result<(), ApiError> {
        let source = IpPrefix::of(self.source(request));
        request.extensions_mut().insert(source);
        self.address.take(source, self.now()).map_err(LimitedBy::Address.used_up())
    }

    /// Counts a call of a platform.
    ///
    /// # Errors
    ///
    /// The same as [`RateLimiter::count_address`].
    pub(crate) fn count_platform(&self, platform: PlatformId) -> Result<(), ApiError> {
        self.platform.take(platform.as_u128(), self.now()).map_err(LimitedBy::Platform.used_up())
    }

    /// Counts a call of a user and, within the user's limit, of its platform. So a user over its limit does not use up
    /// the platform's limit.
    ///
    /// # Errors
    ///
    /// The same as [`RateLimiter::count_address`].
    pub(crate) fn count_user(&self, platform: PlatformId, user: u128) -> Result<(), ApiError> {
        self.user.take(user, self.now()).map_err(LimitedBy::User.used_up())?;
        self.count_platform(platform)
    }

    /// Counts a call of an operator, who belongs to no platform.
    ///
    /// # Errors
    ///
    /// The same as [`RateLimiter::count_address`].
    pub(crate) fn count_operator(&self, operator: u128) -> Result<(), ApiError> {
        self.user.take(operator, self.now()).map_err(LimitedBy::User.used_up())
    }

    /// Begins a check of the credentials that `request` carries, claimed to be those of `name`.
    pub(crate) fn attempt(&self, request: &HttpRequest, name: &str) -> Attempt<'_> {
        let source = request.extensions().get::<IpPrefix>().copied().unwrap_or_default();
        self.attempts.begin(source, name, self.now())
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }
}
