//! Wrong credentials, counted by source address and by claimed owner.
//!
//! Credentials are checked first, and only wrong ones are counted. Right ones are accepted whatever other callers did,
//! in this process or another, before a restart or after it (ADR 60). If a source or an owner has exceeded its limit of
//! wrong credentials, only a few attempts are checked at a time, so that guessing does not occupy the database. A pair
//! of address and owner that was right before is counted separately and does not wait for the others.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use daybook_engine::access::CredentialCheck;
use lru::LruCache;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::token_buckets::{MAX_ENTRIES, RetryAfter, TokenBuckets};
use super::{IpPrefix, LimitedBy, RateLimit};
use crate::error::ApiError;

/// Maximum number of credentials that are checked at a time for suspect callers. Each check takes a database connection
/// for about 100 µs.
const MAX_CONCURRENT_CHECKS: usize = 4;

/// Counter of wrong credentials.
#[derive(Debug)]
pub(super) struct Attempts {
    of_address: TokenBuckets,
    of_client: TokenBuckets,
    of_known: TokenBuckets,
    hasher: RandomState,
    /// Pairs of address and name that were right before, by their hash.
    known: Mutex<LruCache<u64, ()>>,
    /// Semaphore of suspect attempts, first come, first served.
    line: Semaphore,
    is_free: bool,
}

impl Attempts {
    pub(super) fn new(of_address: RateLimit, of_client: RateLimit) -> Self {
        Self {
            of_address: TokenBuckets::new(of_address),
            of_client: TokenBuckets::new(of_client),
            of_known: TokenBuckets::new(of_address),
            hasher: RandomState::new(),
            known: Mutex::new(LruCache::new(MAX_ENTRIES)),
            line: Semaphore::new(MAX_CONCURRENT_CHECKS),
            is_free: of_address.is_free() && of_client.is_free(),
        }
    }

    /// Begins an attempt from `source` with the credentials of `name`.
    pub(super) fn begin(&self, source: IpPrefix, name: &str, now: Duration) -> Attempt<'_> {
        let client = self.hasher.hash_one(name);
        let both = self.hasher.hash_one((source, client));
        let is_known = !self.is_free && self.known().get(&both).is_some();
        Attempt { attempts: self, source, client, both, is_known, now }
    }

    fn known(&self) -> MutexGuard<'_, LruCache<u64, ()>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Credentials that are being checked. An attempt counts neither as right nor as wrong if the check failed for another
/// reason, such as an unavailable database.
pub(crate) struct Attempt<'a> {
    attempts: &'a Attempts,
    source: IpPrefix,
    client: u64,
    both: u64,
    is_known: bool,
    now: Duration,
}

impl<'a> Attempt<'a> {
    /// Waits for a permit if the caller is suspect, and returns it; returns at once otherwise.
    pub(crate) async fn turn(&self) -> Option<SemaphorePermit<'a>> {
        let Attempts { of_address, of_client, of_known, line, .. } = self.attempts;
        let is_suspect = if self.is_known {
            of_known.check(self.both, self.now).is_err()
        } else {
            of_address.check(self.source, self.now).is_err()
                || of_client.check(self.client, self.now).is_err()
        };
        // The semaphore is never closed.
        if is_suspect { line.acquire().await.ok() } else { None }
    }

    /// Records the result and returns the owner of the credentials.
    ///
    /// # Errors
    ///
    /// `denied` if the credentials are wrong; [`ApiError::TooMany`] if there were too many wrong ones.
    pub(crate) fn record<T>(self, judged: CredentialCheck<T>, denied: ApiError) -> Result<T, ApiError> {
        match judged {
            CredentialCheck::Right(found) => {
                self.right();
                Ok(found)
            }
            // An expired key was right once, so it is no guess.
            CredentialCheck::Expired => Err(denied),
            CredentialCheck::Wrong => {
                Err(self.wrong().err().map_or(denied, LimitedBy::Credentials.used_up()))
            }
        }
    }

    /// Records right credentials.
    fn right(self) {
        if !self.is_known && !self.attempts.is_free {
            self.attempts.known().put(self.both, ());
        }
    }

    /// Records wrong credentials; fails if the limit is exceeded.
    fn wrong(self) -> Result<(), RetryAfter> {
        let Attempts { of_address, of_client, of_known, .. } = self.attempts;
        if self.is_known {
            of_known.take(self.both, self.now)
        } else {
            of_address.take(self.source, self.now)?;
            of_client.take(self.client, self.now)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use futures::FutureExt;

    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    fn attempts() -> Attempts {
        Attempts::new(RateLimit::new(10, MINUTE), RateLimit::new(25, MINUTE))
    }

    fn at(number: u8) -> IpPrefix {
        IpPrefix::of(IpAddr::from([192, 0, 2, number]))
    }

    fn judge(
        attempts: &Attempts,
        source: IpPrefix,
        name: &str,
        judged: CredentialCheck<()>,
    ) -> Result<(), ApiError> {
        attempts.begin(source, name, MINUTE).record(judged, ApiError::Credentials)
    }

    fn may(attempts: &Attempts, source: IpPrefix, name: &str) -> bool {
        judge(attempts, source, name, CredentialCheck::Right(())).is_ok()
    }

    /// Returns true if a wrong guess is answered as wrong, false if it exceeds the limit.
    fn guess(attempts: &Attempts, source: IpPrefix, name: &str) -> bool {
        judge(attempts, source, name, CredentialCheck::Wrong) == Err(ApiError::Credentials)
    }

    /// Returns true if an attempt has to wait while all permits are taken.
    fn waits(attempts: &Attempts, source: IpPrefix, name: &str) -> bool {
        let _all = attempts.line.try_acquire_many(4).expect("nobody is judged");
        attempts.begin(source, name, MINUTE).turn().now_or_never().is_none()
    }

    #[test]
    fn address_with_wrong_credentials_has_to_wait() {
        let attempts = attempts();
        let tried = (0..200).filter(|number| guess(&attempts, at(1), &format!("client_{number}"))).count();
        assert_eq!(tried, 10);
        assert!(guess(&attempts, at(2), "client_1"), "another address is not concerned");
        let told = judge(&attempts, at(1), "x", CredentialCheck::Wrong);
        assert_eq!(told, Err(ApiError::TooMany { retry_after_s: 7, share: LimitedBy::Credentials }));
        let later = attempts.begin(at(1), "x", MINUTE + Duration::from_secs(6));
        assert_eq!(
            later.record::<()>(CredentialCheck::Wrong, ApiError::Credentials),
            Err(ApiError::Credentials)
        );
    }

    #[test]
    fn right_credentials_pass_despite_wrong_ones() {
        let attempts = attempts();
        for from in 1..100 {
            let tried = (0..20).filter(|_| guess(&attempts, at(from), "acme")).count();
            assert!(tried <= 10, "{tried}");
        }
        // Neither the address nor the owner matters: with wrong credentials before, or without.
        for (from, name) in [(1, "acme"), (1, "other"), (200, "acme")] {
            assert!(may(&attempts, at(from), name), "{name} at {from}");
        }
        assert!(!guess(&attempts, at(201), "acme"));
        assert!(guess(&attempts, at(201), "other"));
    }

    #[test]
    fn expired_keys_are_not_counted_as_guesses() {
        let attempts = attempts();
        for _ in 0..200 {
            assert_eq!(judge(&attempts, at(1), "acme", CredentialCheck::Expired), Err(ApiError::Credentials));
        }
        assert_eq!((0..200).filter(|_| guess(&attempts, at(1), "acme")).count(), 10);
        assert_eq!(judge(&attempts, at(1), "acme", CredentialCheck::Expired), Err(ApiError::Credentials));
    }

    #[test]
    fn suspect_attempts_are_checked_few_at_once() {
        let attempts = attempts();
        assert!(may(&attempts, at(1), "acme") && !waits(&attempts, at(1), "other"));
        assert_eq!((0..200).filter(|_| guess(&attempts, at(1), "other")).count(), 10);
        assert!(waits(&attempts, at(1), "other"));
        assert!(!waits(&attempts, at(1), "acme"), "it was right here before");
        assert!(!waits(&attempts, at(2), "other"));
        // A caller that was right before may not guess without limit either.
        assert_eq!((0..200).filter(|_| guess(&attempts, at(1), "acme")).count(), 10);
        assert!(waits(&attempts, at(1), "acme") && may(&attempts, at(1), "acme"));
    }

    #[test]
    fn unlimited_attempts_are_not_recorded() {
        let attempts = Attempts::new(RateLimit::default(), RateLimit::default());
        assert!((0..1000).all(|_| guess(&attempts, at(1), "acme")));
        assert!(may(&attempts, at(1), "acme") && !waits(&attempts, at(1), "acme"));
        assert!(attempts.known().is_empty());
    }
}
