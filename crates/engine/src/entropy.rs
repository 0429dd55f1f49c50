//! Randomness: the only place that asks the operating system for it.

use daybook_domain::Timestamp;
use ulid::Ulid;

/// Gives random bytes and ids; cheap to clone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entropy;

impl Entropy {
    /// Fills `bytes`.
    ///
    /// # Panics
    ///
    /// If the operating system has no randomness: nothing that Daybook does is safe then.
    #[allow(
        clippy::disallowed_methods,
        clippy::expect_used,
        reason = "the one place; without it nothing is safe"
    )]
    pub fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system gives randomness");
    }

    /// So many random bytes.
    #[must_use]
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }

    /// The 128 bits of a new ULID made at `now`.
    #[must_use]
    pub fn ulid(&self, now: Timestamp) -> u128 {
        let ms = u64::try_from(now.ms()).unwrap_or_default();
        Ulid::from_parts(ms, u128::from_be_bytes(self.bytes())).0
    }
}
