//! Random numbers with a seed that a failing test prints; `DAYBOOK_SEED` brings it back.

use std::hash::{BuildHasher, RandomState};

/// Numbers that follow from a seed (xorshift64*).
pub(super) struct Random(u64);

impl Random {
    /// A new seed every time, unless the environment names one.
    pub(super) fn new(test: &str) -> Self {
        let given = std::env::var("DAYBOOK_SEED").ok().and_then(|seed| seed.parse().ok());
        // Every state of a hasher has keys of its own.
        let seed: u64 = given.unwrap_or_else(|| RandomState::new().hash_one(test));
        println!("{test}: DAYBOOK_SEED={seed}");
        Self(seed | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("fits")
    }

    /// A number from 1 to `end`.
    pub(super) fn up_to(&mut self, end: usize) -> u64 {
        self.below(end) as u64 + 1
    }
}
