//! How many connections are open, in all and from one address: who comes when none is free is told so and let go.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::rate::Neighbourhood;

/// The places of a process.
#[derive(Debug)]
pub(super) struct Seats {
    /// The most in all; 0 is no bound.
    most: usize,
    /// The most from one address; 0 is no bound.
    most_per_address: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by: HashMap<Neighbourhood, usize>,
}

impl Seats {
    pub(super) fn new(most: usize, most_per_address: usize) -> Arc<Self> {
        Arc::new(Self { most, most_per_address, taken: Mutex::default() })
    }

    /// A place for a connection from `address`, if one is free. Those of a proxy come from many.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr, is_proxy: bool) -> Option<Seat> {
        let by = Neighbourhood::of(address);
        let mut taken = self.taken();
        if self.most > 0 && taken.all >= self.most {
            return None;
        }
        let own = taken.by.get(&by).copied().unwrap_or_default();
        if self.most_per_address > 0 && !is_proxy && own >= self.most_per_address {
            return None;
        }
        taken.by.insert(by, own + 1);
        taken.all += 1;
        drop(taken);
        Some(Seat { seats: Arc::clone(self), by })
    }

    fn give_back(&self, by: Neighbourhood) {
        let mut taken = self.taken();
        taken.all = taken.all.saturating_sub(1);
        match taken.by.get_mut(&by) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(taken.by.remove(&by)),
        }
    }

    /// A panic elsewhere leaves whole numbers behind.
    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one connection.
#[derive(Debug)]
pub(super) struct Seat {
    seats: Arc<Seats>,
    by: Neighbourhood,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.give_back(self.by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const BOB: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    #[test]
    fn nobody_takes_all_places_and_a_place_is_free_again_when_its_connection_ends() {
        let seats = Seats::new(3, 2);
        let mut own: Vec<_> = (0..2).map(|_| seats.take(ADA, false).expect("a place")).collect();
        assert!(seats.take(ADA, false).is_none(), "two are the most of one address");
        let other = seats.take(BOB, false).expect("a place");
        assert!(seats.take(BOB, false).is_none(), "three are the most of all");
        own.pop();
        assert!(seats.take(BOB, false).is_some());
        drop((own, other));
        let taken = seats.taken();
        assert!(taken.all == 0 && taken.by.is_empty(), "{taken:?}");
    }

    #[test]
    fn behind_a_proxy_are_many() {
        let seats = Seats::new(0, 1);
        let places: Vec<_> = (0..100).map(|_| seats.take(ADA, true)).collect();
        assert!(places.iter().all(Option::is_some));
    }
}
