//! Memory budget of request bodies: bytes held at a time, in total and per sender. Small bodies have a budget of their
//! own, so that large bodies cannot block payments.

use std::time::Duration;

use actix_web::HttpRequest;
use daybook_engine::share::{LimitHolder, Limits, Permit, SharedLimit};
use tokio::time::Instant;

use crate::share::{LimitedResource, holders};

/// Maximum size in bytes of a body that is not counted: less than the connection's own buffers hold.
const UNCOUNTED_BYTES: usize = 4 << 10;
/// Maximum size of a small body in bytes.
pub(super) const MAX_SMALL_BODY_BYTES: usize = 64 << 10;
/// Limits in bytes of small bodies that are being read or processed.
const SMALL_BODIES: Limits = Limits { all: 256 << 20, address: 32 << 20, platform: 64 << 20, user: 16 << 20 };
/// Limits in bytes of large bodies. A user's limit has room for two bodies of the largest size.
const LARGE_BODIES: Limits =
    Limits { all: 512 << 20, address: 192 << 20, platform: 192 << 20, user: 64 << 20 };
/// Limits of large files with statements that are being read or taken: a number of files, outside the limits in bytes.
const STATEMENT_FILES: Limits = Limits { platform: 1, ..Limits::of(4) };
/// Minimum number of bytes of a large body that must arrive in each [`PERIOD`].
const MIN_BYTES_PER_PERIOD: usize = 160 << 10;
const PERIOD: Duration = Duration::from_secs(5);

/// Budget of bytes that request bodies hold; clones share it.
#[derive(Clone, Debug)]
pub struct Budget {
    small: SharedLimit,
    large: SharedLimit,
    statements: SharedLimit,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(SMALL_BODIES, LARGE_BODIES)
    }
}

/// Bytes that one body holds; released on drop.
#[derive(Debug)]
pub(super) struct BodyPermit {
    budget: Budget,
    permit: Option<Permit>,
    /// True if the body is not counted in bytes, because it is the only one of its platform.
    is_alone: bool,
}

impl Budget {
    /// Makes a budget with limits for small and for large bodies, in bytes.
    #[must_use]
    pub fn new(small: Limits, large: Limits) -> Self {
        Self {
            small: SharedLimit::new(small),
            large: SharedLimit::new(large),
            statements: SharedLimit::new(STATEMENT_FILES),
        }
    }

    /// Begins a body of which nothing has arrived.
    pub(super) fn begin(&self) -> BodyPermit {
        BodyPermit { budget: self.clone(), permit: None, is_alone: false }
    }

    /// Takes a permit for a large file with statements about a platform.
    ///
    /// # Errors
    ///
    /// The limit, if another file of the platform is being read or taken.
    pub(super) fn alone(&self, platform: LimitHolder) -> Result<BodyPermit, LimitedResource> {
        let permit = self.statements.take(1, [platform]).map_err(|_| LimitedResource::Statements)?;
        Ok(BodyPermit { budget: self.clone(), permit: Some(permit), is_alone: true })
    }
}

impl BodyPermit {
    /// Returns true if the body is the only large file of its platform.
    pub(super) const fn is_alone(&self) -> bool {
        self.is_alone
    }

    /// Grows the share of a body from `before` to `length` bytes and charges it to all known senders of the request.
    ///
    /// # Errors
    ///
    /// The part of the budget that is exhausted.
    pub(super) fn grow(
        &mut self,
        request: &HttpRequest,
        before: usize,
        length: usize,
    ) -> Result<(), LimitedResource> {
        if length <= UNCOUNTED_BYTES || self.is_alone {
            return Ok(());
        }
        let Budget { small, large, .. } = &self.budget;
        let (of, part) = if length > MAX_SMALL_BODY_BYTES {
            (large, LimitedResource::LargeBodies)
        } else {
            (small, LimitedResource::SmallBodies)
        };
        let is_new =
            before <= UNCOUNTED_BYTES || (before <= MAX_SMALL_BODY_BYTES && length > MAX_SMALL_BODY_BYTES);
        let grown = match self.permit.as_mut().filter(|_| !is_new) {
            // The credentials may become known while the body arrives.
            Some(permit) => holders(request)
                .try_for_each(|holder| permit.also_of(holder))
                .and_then(|()| permit.grow(length - before)),
            None => of.take(length, holders(request)).map(|permit| self.permit = Some(permit)),
        };
        grown.map_err(|_| part)
    }
}

/// Transfer speed of a large body.
#[derive(Debug)]
pub(super) struct Speed {
    since: Instant,
    length: usize,
}

impl Speed {
    /// Begins with a body of which nothing has arrived.
    pub(super) fn new() -> Self {
        Self { since: Instant::now(), length: 0 }
    }

    /// Returns the time by which more bytes must arrive, given a body of `length` bytes; `None` if it arrives too
    /// slowly.
    pub(super) fn next(&mut self, length: usize, now: Instant) -> Option<Instant> {
        if length <= MAX_SMALL_BODY_BYTES || length - self.length >= MIN_BYTES_PER_PERIOD {
            (self.since, self.length) = (now, length);
        }
        Some(self.since + PERIOD).filter(|end| now < *end)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn large_bodies_do_not_block_small_ones() {
        let (budget, request) = (Budget::default(), TestRequest::default().to_http_request());
        let mut large = vec![];
        while large.len() < 1000 {
            let mut held = budget.begin();
            if held.grow(&request, 0, 30 << 20).is_err() {
                break;
            }
            large.push(held);
        }
        assert_eq!(large.len(), 17);
        let (mut small, mut growing) = (budget.begin(), budget.begin());
        assert!(
            small.grow(&request, 0, MAX_SMALL_BODY_BYTES).is_ok()
                && growing.grow(&request, 0, MAX_SMALL_BODY_BYTES).is_ok()
        );
        assert!(growing.grow(&request, MAX_SMALL_BODY_BYTES, 3 << 20).is_err());
        large.pop();
        assert!(growing.grow(&request, MAX_SMALL_BODY_BYTES, 3 << 20).is_ok());
        assert_eq!((budget.small.held(), budget.large.held()), (MAX_SMALL_BODY_BYTES, (16 * 30 + 3) << 20));
        drop((small, growing, large));
        assert_eq!((budget.small.held(), budget.large.held()), (0, 0));
    }

    #[test]
    fn platform_sends_one_large_statement_at_once() {
        let (budget, request) = (Budget::default(), TestRequest::default().to_http_request());
        let mut first = budget.alone(LimitHolder::Platform(1)).expect("is free");
        assert!(first.is_alone() && first.grow(&request, 0, 64 << 20).is_ok());
        assert_eq!(budget.alone(LimitHolder::Platform(1)).err(), Some(LimitedResource::Statements));
        let others: Vec<_> = (2..10).filter_map(|id| budget.alone(LimitHolder::Platform(id)).ok()).collect();
        assert_eq!(others.len(), 3);
        assert_eq!((budget.small.held(), budget.large.held()), (0, 0));
        drop(first);
        assert!(budget.alone(LimitHolder::Platform(1)).is_ok());
    }

    #[test]
    fn slow_large_body_ends() {
        let begun = Instant::now();
        let second = |number| begun + Duration::from_secs(number);
        let mut speed = Speed { since: begun, length: 0 };
        assert_eq!(speed.next(1, second(20)), Some(second(25)), "a small one may drip");
        assert_eq!(speed.next(MAX_SMALL_BODY_BYTES + 1, second(24)), Some(second(25)));
        assert_eq!(speed.next(MIN_BYTES_PER_PERIOD + 1, second(24)), Some(second(29)));
        assert_eq!(speed.next(MIN_BYTES_PER_PERIOD + 2, second(29)), None);
    }
}
