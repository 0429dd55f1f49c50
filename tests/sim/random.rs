//! Randomness that a seed repeats: splitmix64.

/// Gives numbers that look random and follow from a seed.
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of `seed`, on the path `branch`.
    pub(crate) fn new(seed: u64, branch: u64) -> Self {
        let mut random = Self(seed ^ branch.wrapping_mul(0xd134_2543_de82_ef95));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// From 0 up to `end`, without it.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let bits = self.next() % u64::try_from(end.max(1)).unwrap_or(1);
        usize::try_from(bits).unwrap_or_default()
    }

    /// From `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let width = usize::try_from(high - low + 1).unwrap_or(1);
        low + i64::try_from(self.below(width)).unwrap_or_default()
    }

    /// True once in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of `choices`.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
