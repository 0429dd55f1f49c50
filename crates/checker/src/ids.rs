//! Hash maps by id. Ids are random, so a cheap hash of their bits is sufficient. A key of two 64-bit halves needs no
//! padding for alignment.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// 128 bits of an id, as two halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Id(u64, u64);

impl From<u128> for Id {
    fn from(bits: u128) -> Self {
        let bytes = bits.to_be_bytes();
        let half = |at: usize| bytes[at..at + 8].iter().fold(0, |half, byte| half << 8 | u64::from(*byte));
        Self(half(0), half(8))
    }
}

impl Id {
    /// The 16 bytes of the id.
    pub(crate) fn bytes(self) -> [u8; 16] {
        (u128::from(self.0) << 64 | u128::from(self.1)).to_be_bytes()
    }
}

/// Hasher that combines the halves of an id.
#[derive(Default)]
pub(crate) struct Fold(u64);

impl Hasher for Fold {
    fn write_u64(&mut self, half: u64) {
        self.0 = (self.0.rotate_left(5) ^ half).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A map by id.
pub(crate) type Ids<T> = HashMap<Id, T, BuildHasherDefault<Fold>>;
