//! Numbers that look random and are the same in every run: `SplitMix64` (Steele, Lea, Flood: Fast Splittable
//! Pseudorandom Number Generators, 2014).

/// A sequence; each seed has its own.
#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// The sequence of `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The sequence of several numbers together.
    pub(crate) fn of(parts: &[u64]) -> Self {
        parts.iter().fold(Self(0), |mut random, part| {
            random.0 ^= part;
            Self(random.bits())
        })
    }

    /// The next 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// The next number from 0 to `bound` - 1; 0 if `bound` is 0. Off from even by less than one in a billion.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let number = self.bits().checked_rem(bound as u64);
        number.and_then(|number| usize::try_from(number).ok()).unwrap_or_default()
    }

    /// The next number from 0 up to, but not including, 1.
    #[allow(clippy::cast_precision_loss, reason = "53 bits are what fits")]
    pub(crate) fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The next amount from `lowest` to `highest` minor units.
    pub(crate) fn amount(&mut self, lowest: i64, highest: i64) -> i64 {
        let span = highest.saturating_sub(lowest).saturating_add(1);
        let above = self.bits().checked_rem(u64::try_from(span).unwrap_or_default()).unwrap_or_default();
        lowest.saturating_add(i64::try_from(above).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_the_bound_occurs_and_no_other() {
        let mut random = Random::new(7);
        let mut seen = [0; 10];
        (0..1000).for_each(|_| seen[random.below(10)] += 1);
        assert!(seen.iter().all(|times| (50..150).contains(times)), "{seen:?}");
        assert_eq!(random.below(0), 0);
        assert!((0..1000).all(|_| (3..=5).contains(&random.amount(3, 5))));
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.share())));
    }

    #[test]
    fn each_combination_of_numbers_has_its_own_sequence() {
        let first = |parts: &[u64]| Random::of(parts).bits();
        assert_eq!(first(&[1, 2]), first(&[1, 2]));
        assert!(first(&[1, 2]) != first(&[2, 1]) && first(&[1, 2]) != first(&[1, 2, 0]));
    }
}
