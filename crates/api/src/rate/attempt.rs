//! Wrong credentials: counted by address and by whose they are said to be.
//!
//! If an address was right about somebody before, the two are counted for themselves: neither strangers elsewhere nor
//! strangers behind the same proxy lock out whoever is known to be right.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lru::LruCache;

use super::meter::{Meter, ROOM, Wait};
use super::{Neighbourhood, Pace};

/// Counts failures.
#[derive(Debug)]
pub(super) struct Attempts {
    of_address: Meter,
    of_client: Meter,
    of_known: Meter,
    hasher: RandomState,
    /// Who was right, by the hash of address and public half.
    known: Mutex<LruCache<u64, ()>>,
    is_free: bool,
}

impl Attempts {
    pub(super) fn new(of_address: Pace, of_client: Pace) -> Self {
        Self {
            of_address: Meter::new(of_address),
            of_client: Meter::new(of_client),
            of_known: Meter::new(of_address),
            hasher: RandomState::new(),
            known: Mutex::new(LruCache::new(ROOM)),
            is_free: of_address.is_free() && of_client.is_free(),
        }
    }

    /// Whether one more may be made at `now`.
    pub(super) fn begin(
        &self,
        source: Neighbourhood,
        public_half: &str,
        now: Duration,
    ) -> Result<Attempt<'_>, Wait> {
        let client = self.hasher.hash_one(public_half);
        let both = self.hasher.hash_one((source, client));
        let is_known = !self.is_free && self.known().get(&both).is_some();
        if is_known {
            self.of_known.check(both, now)?;
        } else {
            self.of_address.check(source, now)?;
            self.of_client.check(client, now)?;
        }
        Ok(Attempt { attempts: self, source, client, both, is_known, now })
    }

    fn known(&self) -> MutexGuard<'_, LruCache<u64, ()>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Credentials that are being looked at. What is neither right nor wrong, because nobody could look, counts as neither.
pub(crate) struct Attempt<'a> {
    attempts: &'a Attempts,
    source: Neighbourhood,
    client: u64,
    both: u64,
    is_known: bool,
    now: Duration,
}

impl Attempt<'_> {
    /// What was found by them is what they are: somebody, or wrong.
    pub(crate) fn judged<T>(self, found: Option<T>) -> Option<T> {
        if found.is_some() {
            self.right();
        } else {
            self.wrong();
        }
        found
    }

    /// They are right.
    fn right(self) {
        if !self.is_known && !self.attempts.is_free {
            self.attempts.known().put(self.both, ());
        }
    }

    /// They are wrong. Of those that are looked at at the same time all count.
    fn wrong(self) {
        let Attempts { of_address, of_client, of_known, .. } = self.attempts;
        if self.is_known {
            of_known.charge(self.both, self.now);
        } else {
            of_address.charge(self.source, self.now);
            of_client.charge(self.client, self.now);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    fn attempts() -> Attempts {
        Attempts::new(Pace::new(10, MINUTE), Pace::new(25, MINUTE))
    }

    fn at(number: u8) -> Neighbourhood {
        Neighbourhood::of(IpAddr::from([192, 0, 2, number]))
    }

    fn may(attempts: &Attempts, source: Neighbourhood, client: &str) -> bool {
        attempts.begin(source, client, MINUTE).is_ok()
    }

    fn guess(attempts: &Attempts, source: Neighbourhood, client: &str) -> bool {
        attempts.begin(source, client, MINUTE).map(Attempt::wrong).is_ok()
    }

    #[test]
    fn an_address_that_is_wrong_too_often_waits_whoever_it_says_to_be() {
        let attempts = attempts();
        let tried = (0..200).filter(|number| guess(&attempts, at(1), &format!("client_{number}"))).count();
        assert_eq!(tried, 10);
        assert!(may(&attempts, at(2), "client_1"), "another address is not concerned");
        let wait = attempts.begin(at(1), "x", MINUTE).err();
        assert_eq!(wait, Some(Wait(Duration::from_secs(6))));
        assert!(attempts.begin(at(1), "x", MINUTE + Duration::from_secs(6)).is_ok());
    }

    #[test]
    fn whoever_is_guessed_from_everywhere_is_still_let_in_from_where_it_was_right() {
        let attempts = attempts();
        attempts.begin(at(1), "acme", MINUTE).map(Attempt::right).expect("nobody was wrong yet");
        let tried: usize =
            (2..100).map(|from| (0..10).filter(|_| guess(&attempts, at(from), "acme")).count()).sum();
        assert_eq!(tried, 25);
        assert!(!may(&attempts, at(200), "acme"), "a stranger waits");
        assert!(may(&attempts, at(200), "other"), "others are not concerned");
        assert!(may(&attempts, at(1), "acme"));
    }

    #[test]
    fn a_stranger_at_the_same_address_locks_nobody_out_who_was_right_there() {
        let attempts = attempts();
        attempts.begin(at(1), "acme", MINUTE).map(Attempt::right).expect("nobody was wrong yet");
        assert_eq!((0..200).filter(|_| guess(&attempts, at(1), "other")).count(), 10);
        assert!(may(&attempts, at(1), "acme"));
        // Nor is who was right once free to guess.
        assert_eq!((0..200).filter(|_| guess(&attempts, at(1), "acme")).count(), 10);
        assert!(may(&attempts, at(2), "acme"));
    }

    #[test]
    fn without_a_pace_nobody_waits_and_nothing_is_kept() {
        let attempts = Attempts::new(Pace::default(), Pace::default());
        assert!((0..1000).all(|_| guess(&attempts, at(1), "acme")));
        attempts.begin(at(1), "acme", MINUTE).map(Attempt::right).expect("free");
        assert!(attempts.known().is_empty());
    }
}
