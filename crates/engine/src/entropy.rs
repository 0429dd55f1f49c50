//! Randomness. No other module asks the operating system for it.

use std::cell::RefCell;

use daybook_domain::Timestamp;
use ulid::Ulid;

/// Size of the pool in bytes. One system call per nonce and id would take 2 % of the running time.
const POOL_BYTES: usize = 4096;

thread_local! {
    /// Unused random bytes at the end of the pool. Used bytes are overwritten with zeros.
    static POOL: RefCell<([u8; POOL_BYTES], usize)> = const { RefCell::new(([0; POOL_BYTES], POOL_BYTES)) };
}

#[cfg(feature = "testing")]
thread_local! {
    /// Seed of this thread's generator, set by a simulation.
    static SEEDED: std::cell::Cell<Option<u64>> = const { std::cell::Cell::new(None) };
}

/// Generates random bytes and ids. Cheap to clone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entropy;

impl Entropy {
    /// Fills `bytes`. No byte is returned twice, and none is kept after it was returned.
    ///
    /// # Panics
    ///
    /// Panics if the operating system has no randomness: nothing that Daybook does is safe without it.
    pub fn fill(&self, bytes: &mut [u8]) {
        #[cfg(feature = "testing")]
        if let Some(seed) = SEEDED.get() {
            SEEDED.set(Some(from_seed(seed, bytes)));
            return;
        }
        if bytes.len() > POOL_BYTES / 8 {
            return from_system(bytes);
        }
        POOL.with_borrow_mut(|(pool, used)| {
            if bytes.len() > POOL_BYTES - *used {
                from_system(pool);
                *used = 0;
            }
            let given = &mut pool[*used..*used + bytes.len()];
            bytes.copy_from_slice(given);
            given.fill(0);
            *used += bytes.len();
        });
    }

    /// Makes this thread's random bytes a function of `seed`.
    #[cfg(feature = "testing")]
    pub fn seed(seed: u64) {
        SEEDED.set(Some(seed));
    }

    /// Returns `N` random bytes.
    #[must_use]
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }

    /// Returns the 128 bits of a new ULID with the time `now`.
    #[must_use]
    pub fn ulid(&self, now: Timestamp) -> u128 {
        let ms = u64::try_from(now.ms()).unwrap_or_default();
        Ulid::from_parts(ms, u128::from_be_bytes(self.bytes())).0
    }
}

#[allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "the one place; without it nothing is safe"
)]
fn from_system(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the operating system gives randomness");
}

/// Fills `bytes` with a pseudo-random sequence from `seed`, by splitmix64, and returns the next seed.
#[cfg(feature = "testing")]
fn from_seed(mut seed: u64, bytes: &mut [u8]) -> u64 {
    for chunk in bytes.chunks_mut(8) {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        chunk.copy_from_slice(&(bits ^ (bits >> 31)).to_be_bytes()[..chunk.len()]);
    }
    seed
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn random_bytes_are_never_repeated() {
        let given: HashSet<[u8; 16]> = (0..10_000).map(|_| Entropy.bytes()).collect();
        assert_eq!(given.len(), 10_000);
        let mut large = vec![0; POOL_BYTES];
        Entropy.fill(&mut large);
        assert!(large.chunks(16).all(|chunk| chunk.iter().any(|byte| *byte != 0)));
    }

    #[test]
    fn ulid_begins_with_its_time() {
        let at = Timestamp::from_ms(1_700_000_000_000);
        assert_eq!(Entropy.ulid(at) >> 80, 1_700_000_000_000);
    }
}
