//! Random numbers that follow from the run's seed.

/// A stream of numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers that follow from `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Numbers of their own for somebody who works beside others: the same for the same seed and `name`.
    pub fn fork(seed: u64, name: &str) -> Self {
        let mut fork = Self(seed);
        for byte in name.bytes() {
            fork.0 = fork.next() ^ u64::from(byte);
        }
        fork
    }

    /// Any number.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// One of these, of which there is at least one.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let last = of.len().saturating_sub(1);
        &of[usize::try_from(self.next() % of.len().max(1) as u64).unwrap_or(last)]
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, of_100: u64) -> bool {
        self.below(100) < of_100
    }
}
