//! Random numbers with a seed, so that every run picks the same accounts.

/// A pseudo-random sequence (xorshift64*).
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Returns the sequence of one caller.
    pub(crate) fn of(caller: usize) -> Self {
        Self((caller as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number in `0..end`; 0 if the range is empty.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        number.checked_rem(end as u64).and_then(|rest| usize::try_from(rest).ok()).unwrap_or_default()
    }
}
