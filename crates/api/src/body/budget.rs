//! Bytes of bodies that are held at a time, in all and by each of those who send them. Small bodies have a part of their
//! own, so that whatever large ones do, a payment comes through.

use std::time::Duration;

use actix_web::HttpRequest;
use daybook_engine::share::{Bounds, Share, Shares};
use tokio::time::Instant;

use crate::share::{Part, holders};

/// Bytes of a body that are not counted: fewer than the connection's own buffers hold.
const FREE: usize = 4 << 10;
/// The longest body that is small.
pub(super) const SMALL: usize = 64 << 10;
/// Bytes of small bodies that are read or worked on.
const SMALL_BODIES: Bounds = Bounds { all: 256 << 20, address: 32 << 20, platform: 64 << 20, user: 16 << 20 };
/// Bytes of large ones. A user's part holds two of the largest.
const LARGE_BODIES: Bounds =
    Bounds { all: 512 << 20, address: 192 << 20, platform: 192 << 20, user: 64 << 20 };
/// Bytes of a large body that must come in each [`PERIOD`].
const LEAST: usize = 160 << 10;
const PERIOD: Duration = Duration::from_secs(5);

/// Bytes that are held of bodies; clones share the same.
#[derive(Clone, Debug)]
pub struct Budget {
    small: Shares,
    large: Shares,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(SMALL_BODIES, LARGE_BODIES)
    }
}

/// Bytes that one body holds; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Held {
    budget: Budget,
    share: Option<Share>,
}

impl Budget {
    /// A budget of so many bytes of small bodies, and of large ones.
    #[must_use]
    pub fn new(small: Bounds, large: Bounds) -> Self {
        Self { small: Shares::new(small), large: Shares::new(large) }
    }

    /// Begins a body of which nothing is there yet.
    pub(super) fn begin(&self) -> Held {
        Held { budget: self.clone(), share: None }
    }
}

impl Held {
    /// Holds a body that was `before` bytes long and is `length` now, for those who are known to send it.
    ///
    /// # Errors
    ///
    /// The part that is used up.
    pub(super) fn grow(&mut self, request: &HttpRequest, before: usize, length: usize) -> Result<(), Part> {
        if length <= FREE {
            return Ok(());
        }
        let Budget { small, large } = &self.budget;
        let (of, part) = if length > SMALL { (large, Part::LargeBodies) } else { (small, Part::SmallBodies) };
        let is_new = before <= FREE || (before <= SMALL && length > SMALL);
        let grown = match self.share.as_mut().filter(|_| !is_new) {
            // Whose credentials they are is found out while the body comes.
            Some(share) => holders(request)
                .try_for_each(|holder| share.also_of(holder))
                .and_then(|()| share.grow(length - before)),
            None => of.take(length, holders(request)).map(|share| self.share = Some(share)),
        };
        grown.map_err(|_| part)
    }
}

/// The speed at which a large body comes.
#[derive(Debug)]
pub(super) struct Speed {
    since: Instant,
    length: usize,
}

impl Speed {
    /// The speed of a body of which nothing is there yet.
    pub(super) fn new() -> Self {
        Self { since: Instant::now(), length: 0 }
    }

    /// The time at which more must be there of a body that is `length` bytes long; none if it comes too slowly.
    pub(super) fn next(&mut self, length: usize, now: Instant) -> Option<Instant> {
        if length <= SMALL || length - self.length >= LEAST {
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
    fn small_bodies_pass_large_ones() {
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
        assert!(small.grow(&request, 0, SMALL).is_ok() && growing.grow(&request, 0, SMALL).is_ok());
        assert!(growing.grow(&request, SMALL, 3 << 20).is_err());
        large.pop();
        assert!(growing.grow(&request, SMALL, 3 << 20).is_ok());
        assert_eq!((budget.small.held(), budget.large.held()), (SMALL, (16 * 30 + 3) << 20));
        drop((small, growing, large));
        assert_eq!((budget.small.held(), budget.large.held()), (0, 0));
    }

    #[test]
    fn a_large_body_must_get_on() {
        let begun = Instant::now();
        let second = |number| begun + Duration::from_secs(number);
        let mut speed = Speed { since: begun, length: 0 };
        assert_eq!(speed.next(1, second(20)), Some(second(25)), "a small one may drip");
        assert_eq!(speed.next(SMALL + 1, second(24)), Some(second(25)));
        assert_eq!(speed.next(LEAST + 1, second(24)), Some(second(29)));
        assert_eq!(speed.next(LEAST + 2, second(29)), None);
    }
}
