//! Numbers that look random and are the same in every run: `SplitMix64` (Steele, Lea, Flood: Fast Splittable
//! Pseudorandom Number Generators, 2014).

use std::hash::{BuildHasher, RandomState};

/// A sequence; each seed has its own.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The sequence of several numbers together.
    #[must_use]
    pub fn of(parts: &[u64]) -> Self {
        parts.iter().fold(Self(0), |mut random, part| {
            random.0 ^= part;
            Self(random.bits())
        })
    }

    /// The sequence of `seed` on the path `branch`.
    #[must_use]
    pub const fn branch(seed: u64, branch: u64) -> Self {
        let mut random = Self(seed ^ branch.wrapping_mul(0xd134_2543_de82_ef95));
        random.bits();
        random
    }

    /// The sequence of one who works beside others: the same for the same seed and `name`.
    #[must_use]
    pub fn fork(seed: u64, name: &str) -> Self {
        let mut fork = Self(seed);
        for byte in name.bytes() {
            fork.0 = fork.bits() ^ u64::from(byte);
        }
        fork
    }

    /// Another sequence every time, for the test of this name; it prints a seed, which `DAYBOOK_SEED` brings back.
    #[must_use]
    pub fn of_test(name: &str) -> Self {
        let given = std::env::var("DAYBOOK_SEED").ok().and_then(|seed| seed.parse().ok());
        // Every state of a hasher has keys of its own.
        let seed: u64 = given.unwrap_or_else(|| RandomState::new().hash_one(name));
        println!("{name}: DAYBOOK_SEED={seed}");
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// The next number below `end`; 0 if `end` is 0. Off from even by less than one in a billion.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.below_u64(end as u64)).unwrap_or_default()
    }

    /// The same for numbers that count no memory.
    pub fn below_u64(&mut self, end: u64) -> u64 {
        self.bits().checked_rem(end).unwrap_or_default()
    }

    /// The next number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.saturating_sub(low).saturating_add(1);
        let above = self.below_u64(u64::try_from(span).unwrap_or_default());
        low.saturating_add(i64::try_from(above).unwrap_or_default())
    }

    /// The next number from 1 to `end`.
    pub fn up_to(&mut self, end: usize) -> u64 {
        self.below(end) as u64 + 1
    }

    /// The next number from 0 up to, but not including, 1.
    #[allow(clippy::cast_precision_loss, reason = "53 bits are what fits")]
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, of_100: u64) -> bool {
        self.below_u64(100) < of_100
    }

    /// One of `choices`, of which there is at least one.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// A copy of one of `choices`.
    ///
    /// # Panics
    ///
    /// As [`Random::pick`].
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        *self.pick(choices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_the_bound_occurs() {
        let mut random = Random::new(7);
        let mut seen = [0; 10];
        (0..1000).for_each(|_| seen[random.below(10)] += 1);
        assert!(seen.iter().all(|times| (50..150).contains(times)), "{seen:?}");
        assert_eq!(random.below(0), 0);
        assert!((0..1000).all(|_| (3..=5).contains(&random.between(3, 5))));
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.share())));
    }

    #[test]
    fn each_combination_has_its_own_sequence() {
        let first = |parts: &[u64]| Random::of(parts).bits();
        assert_eq!(first(&[1, 2]), first(&[1, 2]));
        assert!(first(&[1, 2]) != first(&[2, 1]) && first(&[1, 2]) != first(&[1, 2, 0]));
    }

    #[test]
    fn numbers_of_a_seed_stay_the_same() {
        // The generator's published test vector.
        let mut random = Random::new(1_234_567);
        let first = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(first.map(|_| random.bits()), first);
    }
}
