//! Shares: concurrency limits, one in total and one per holder, so that no holder can take everything.
//!
//! Nothing here waits, and the unit is not known: bytes, places or calls. A holder is tracked only while it holds
//! something, so there are never more tracked holders than held units.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A holder of shares, with a limit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LimitHolder {
    /// An IP address, or a network that counts as one address.
    Address(u128),
    /// A platform with its users.
    Platform(u128),
    /// A user or an operator.
    User(u128),
}

/// Maximum amounts that may be held at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Limit for all holders together.
    pub all: usize,
    /// Limit for one address.
    pub address: usize,
    /// Limit for one platform.
    pub platform: usize,
    /// Limit for one user.
    pub user: usize,
}

impl Limits {
    /// Limits with the same value in total and for each holder.
    #[must_use]
    pub const fn of(all: usize) -> Self {
        Self { all, address: all, platform: all, user: all }
    }

    const fn each(&self, holder: LimitHolder) -> usize {
        match holder {
            LimitHolder::Address(_) => self.address,
            LimitHolder::Platform(_) => self.platform,
            LimitHolder::User(_) => self.user,
        }
    }
}

/// Error of a reached limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitReached {
    /// The total limit is reached.
    All,
    /// The limit of one holder is reached.
    Of(LimitHolder),
}

/// A limited resource. Clones share the same counts.
#[derive(Clone, Debug)]
pub struct SharedLimit(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limits: Limits,
    held: Mutex<Usage>,
}

#[derive(Debug, Default)]
struct Usage {
    all: usize,
    by: HashMap<LimitHolder, usize>,
}

impl SharedLimit {
    /// Creates a resource of which nothing is held.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self(Arc::new(Inner { limits, held: Mutex::default() }))
    }

    /// Returns the limits.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.0.limits
    }

    /// Takes `amount` for all of `holders` together. The amount counts against the limit of each of them.
    ///
    /// # Errors
    ///
    /// [`LimitReached`] if the amount exceeds the total limit or the limit of a holder.
    pub fn take(
        &self,
        amount: usize,
        holders: impl IntoIterator<Item = LimitHolder>,
    ) -> Result<Permit, LimitReached> {
        let mut permit = Permit { limit: self.clone(), holders: holders.into_iter().collect(), amount: 0 };
        permit.grow(amount)?;
        Ok(permit)
    }

    /// Returns the amount held in total.
    #[must_use]
    pub fn held(&self) -> usize {
        self.lock().all
    }

    /// Locks the counts. Poisoning is ignored, because the counts are consistent even after a panic elsewhere.
    fn lock(&self) -> MutexGuard<'_, Usage> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Usage {
    fn room(&self, limits: &Limits, amount: usize, holders: &[LimitHolder]) -> Result<(), LimitReached> {
        let fits = |held: usize, most: usize| held.checked_add(amount).is_some_and(|held| held <= most);
        if !fits(self.all, limits.all) {
            return Err(LimitReached::All);
        }
        let own = |holder: &LimitHolder| self.by.get(holder).copied().unwrap_or_default();
        let full = holders.iter().find(|holder| !fits(own(holder), limits.each(**holder)));
        full.map_or(Ok(()), |holder| Err(LimitReached::Of(*holder)))
    }

    fn add(&mut self, amount: usize, holders: &[LimitHolder]) {
        for holder in holders {
            *self.by.entry(*holder).or_default() += amount;
        }
    }

    fn give_back(&mut self, amount: usize, holders: &[LimitHolder]) {
        self.all = self.all.saturating_sub(amount);
        for holder in holders {
            match self.by.get_mut(holder) {
                Some(own) if *own > amount => *own -= amount,
                _ => drop(self.by.remove(holder)),
            }
        }
    }
}

/// A held amount, released when it is dropped.
#[derive(Debug)]
pub struct Permit {
    limit: SharedLimit,
    holders: Vec<LimitHolder>,
    amount: usize,
}

impl Permit {
    /// Takes `amount` more.
    ///
    /// # Errors
    ///
    /// [`LimitReached`] if the amount exceeds a limit. The amount held so far is kept.
    pub fn grow(&mut self, amount: usize) -> Result<(), LimitReached> {
        if amount > 0 {
            let mut held = self.limit.lock();
            held.room(&self.limit.0.limits, amount, &self.holders)?;
            held.all += amount;
            held.add(amount, &self.holders);
            drop(held);
            self.amount += amount;
        }
        Ok(())
    }

    /// Counts the held amount against another `holder` as well, whose identity became known later.
    ///
    /// # Errors
    ///
    /// [`LimitReached`] if the amount exceeds the holder's limit. The holder is not added then.
    pub fn also_of(&mut self, holder: LimitHolder) -> Result<(), LimitReached> {
        if self.holders.contains(&holder) {
            return Ok(());
        }
        let mut held = self.limit.lock();
        let own = held.by.get(&holder).copied().unwrap_or_default();
        if own + self.amount > self.limit.0.limits.each(holder) {
            return Err(LimitReached::Of(holder));
        }
        if self.amount > 0 {
            held.add(self.amount, &[holder]);
        }
        drop(held);
        self.holders.push(holder);
        Ok(())
    }

    /// Releases the held amount. The same share may grow again.
    pub fn give_back(&mut self) {
        let amount = std::mem::take(&mut self.amount);
        if amount > 0 {
            self.limit.lock().give_back(amount, &self.holders);
        }
    }

    /// Returns the held amount.
    #[must_use]
    pub const fn amount(&self) -> usize {
        self.amount
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.give_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { all: 40, address: 25, platform: 20, user: 10 };

    /// Pseudo-random numbers, the same for each seed (splitmix64).
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = self.0;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            usize::try_from((mixed ^ (mixed >> 31)) % end as u64).expect("small")
        }

        fn holders(&mut self) -> Vec<LimitHolder> {
            let all: [fn(u128) -> LimitHolder; 3] =
                [LimitHolder::Address, LimitHolder::Platform, LimitHolder::User];
            let mut known = vec![];
            for of in all {
                if self.below(3) > 0 {
                    known.push(of(self.below(3) as u128));
                }
            }
            known
        }
    }

    /// Recomputes the held amounts from the shares themselves.
    fn sums(limit: &[Permit]) -> (usize, HashMap<LimitHolder, usize>) {
        let mut by = HashMap::new();
        for permit in limit.iter().filter(|permit| permit.amount > 0) {
            permit.holders.iter().for_each(|holder| *by.entry(*holder).or_default() += permit.amount);
        }
        (limit.iter().map(|permit| permit.amount).sum(), by)
    }

    #[test]
    fn limits_hold_and_everything_is_released() {
        for seed in 0..200 {
            let (mut chance, limit) = (Chance(seed), SharedLimit::new(LIMITS));
            let mut open: Vec<Permit> = vec![];
            for _ in 0..300 {
                let place = chance.below(open.len() + 1);
                match (chance.below(5), open.get_mut(place)) {
                    (0, Some(_)) => drop(open.swap_remove(place)),
                    (1, Some(permit)) => drop(permit.grow(chance.below(12))),
                    (2, Some(permit)) => drop(permit.also_of(LimitHolder::User(chance.below(3) as u128))),
                    (3, Some(permit)) => permit.give_back(),
                    _ => open.extend(limit.take(chance.below(12), chance.holders())),
                }
                let (all, by) = sums(&open);
                assert!(all <= LIMITS.all, "seed {seed}: {all}");
                assert!(by.iter().all(|(holder, own)| *own <= LIMITS.each(*holder)), "seed {seed}: {by:?}");
                let held = limit.lock();
                assert_eq!((held.all, &held.by), (all, &by), "seed {seed}");
            }
            open.clear();
            let held = limit.lock();
            assert!(held.all == 0 && held.by.is_empty(), "seed {seed}: {held:?}");
        }
    }

    #[test]
    fn full_holder_leaves_the_rest_to_others() {
        let limit = SharedLimit::new(LIMITS);
        let (ada, bob) = (
            [LimitHolder::User(1), LimitHolder::Platform(1)],
            [LimitHolder::User(2), LimitHolder::Platform(1)],
        );
        let _held = limit.take(10, ada).expect("its own");
        assert_eq!(limit.take(1, ada).err(), Some(LimitReached::Of(LimitHolder::User(1))));
        let _other = limit.take(10, bob).expect("another user's");
        let third = [LimitHolder::User(3), LimitHolder::Platform(1)];
        assert_eq!(limit.take(1, third).err(), Some(LimitReached::Of(LimitHolder::Platform(1))));
        let rest = limit.take(20, [LimitHolder::Address(1)]).expect("another's");
        assert_eq!(limit.take(1, [LimitHolder::Address(2)]).err(), Some(LimitReached::All));
        assert_eq!(limit.take(usize::MAX, []).err(), Some(LimitReached::All));
        drop(rest);
        assert_eq!(limit.held(), 20);
    }
}
