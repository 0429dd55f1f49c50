//! Pseudo-random numbers that are the same in every run: `SplitMix64` (Steele, Lea, Flood: Fast Splittable Pseudorandom
//! Number Generators, 2014).

use std::hash::{BuildHasher, RandomState};

/// A sequence of numbers; each seed has its own.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns the sequence of `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the sequence of several numbers together.
    #[must_use]
    pub fn of(parts: &[u64]) -> Self {
        parts.iter().fold(Self(0), |mut random, part| {
            random.0 ^= part;
            Self(random.bits())
        })
    }

    /// Returns the sequence of `seed` on the path `branch`.
    #[must_use]
    pub const fn branch(seed: u64, branch: u64) -> Self {
        let mut random = Self(seed ^ branch.wrapping_mul(0xd134_2543_de82_ef95));
        random.bits();
        random
    }

    /// Returns the sequence of a concurrent worker; it depends on the seed and `name` only.
    #[must_use]
    pub fn fork(seed: u64, name: &str) -> Self {
        let mut fork = Self(seed);
        for byte in name.bytes() {
            fork.0 = fork.bits() ^ u64::from(byte);
        }
        fork
    }

    /// Returns a new sequence in every run of the test `name`. Prints the seed; the environment variable `DAYBOOK_SEED`
    /// sets it again.
    #[must_use]
    pub fn of_test(name: &str) -> Self {
        let given = std::env::var("DAYBOOK_SEED").ok().and_then(|seed| seed.parse().ok());
        // Every `RandomState` has random keys.
        let seed: u64 = given.unwrap_or_else(|| RandomState::new().hash_one(name));
        println!("{name}: DAYBOOK_SEED={seed}");
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns the next number below `end`; 0 if `end` is 0. The deviation from a uniform distribution is less than one
    /// in a billion.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.below_u64(end as u64)).unwrap_or_default()
    }

    /// Returns the next number below `end`, as [`Random::below`] for `u64`.
    pub fn below_u64(&mut self, end: u64) -> u64 {
        self.bits().checked_rem(end).unwrap_or_default()
    }

    /// Returns the next number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.saturating_sub(low).saturating_add(1);
        let above = self.below_u64(u64::try_from(span).unwrap_or_default());
        low.saturating_add(i64::try_from(above).unwrap_or_default())
    }

    /// Returns the next number from 1 to `end`.
    pub fn up_to(&mut self, end: usize) -> u64 {
        self.below(end) as u64 + 1
    }

    /// Returns the next number from 0 to 1, without 1.
    #[allow(clippy::cast_precision_loss, reason = "53 bits are what fits")]
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns true with a probability of one in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns true with a probability of `of_100` percent.
    pub fn percent(&mut self, of_100: u64) -> bool {
        self.below_u64(100) < of_100
    }

    /// Returns one of `choices`, which must not be empty.
    ///
    /// # Panics
    ///
    /// Panics if `choices` is empty.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// Returns a copy of one of `choices`.
    ///
    /// # Panics
    ///
    /// Same as [`Random::pick`].
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        *self.pick(choices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_bound_all_occur() {
        let mut random = Random::new(7);
        let mut seen = [0; 10];
        (0..1000).for_each(|_| seen[random.below(10)] += 1);
        assert!(seen.iter().all(|times| (50..150).contains(times)), "{seen:?}");
        assert_eq!(random.below(0), 0);
        assert!((0..1000).all(|_| (3..=5).contains(&random.between(3, 5))));
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.share())));
    }

    #[test]
    fn combinations_have_distinct_sequences() {
        let first = |parts: &[u64]| Random::of(parts).bits();
        assert_eq!(first(&[1, 2]), first(&[1, 2]));
        assert!(first(&[1, 2]) != first(&[2, 1]) && first(&[1, 2]) != first(&[1, 2, 0]));
    }

    #[test]
    fn seed_gives_published_numbers() {
        // The generator's published test vector.
        let mut random = Random::new(1_234_567);
        let first = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(first.map(|_| random.bits()), first);
    }
}
