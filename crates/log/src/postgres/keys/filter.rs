//! Bloom filter of idempotency keys. It has no false negatives, and less than one lookup of an absent key in a thousand
//! is a false positive. A key is a hash, so its own bytes are the hash values of the filter.

use crate::Key;
use crate::key::LIFETIME_MS;

/// Bits of a part: 2 MiB.
const BITS_PER_PART: u32 = 1 << 24;
/// Maximum number of keys of a part. With 16 bits per key and 7 bits set for each, 7 of 10,000 absent keys are false
/// positives.
const KEYS_PER_PART: usize = 1 << 20;
/// Bits of one word of a part.
const WORD: u32 = u64::BITS;
/// Maximum number of parts: 64 MiB. This is enough for 97 new keys per second until the oldest are dropped.
const MAX_PARTS: usize = 32;
/// Age in milliseconds at which keys are certainly in no row: the daily purge deletes keys that are two to three days
/// old.
const KEY_RETENTION_MS: i64 = 4 * LIFETIME_MS;

/// Keys in parts, the newest part last. A part is added when the newest is full, and dropped when its keys are too old.
#[derive(Default)]
pub(super) struct Filter(Vec<Part>);

/// A Bloom filter for at most [`KEYS_PER_PART`] keys.
struct Part {
    bits: Vec<u64>,
    count: usize,
    /// Time of recording of its newest key, in milliseconds since the Unix epoch.
    newest_ms: i64,
}

/// Error: every part is full, and none is old enough to be dropped.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FilterFull;

impl Filter {
    /// Adds `key`, recorded at `at_ms`.
    pub(super) fn insert(&mut self, key: &Key, at_ms: i64) -> Result<(), FilterFull> {
        if self.0.last().is_none_or(|newest| newest.count == KEYS_PER_PART) {
            self.0.retain(|part| part.newest_ms > at_ms - KEY_RETENTION_MS);
            if self.0.len() == MAX_PARTS {
                return Err(FilterFull);
            }
            self.0.push(Part { bits: vec![0; (BITS_PER_PART / WORD) as usize], count: 0, newest_ms: at_ms });
        }
        if let Some(newest) = self.0.last_mut() {
            newest.insert(key);
            newest.newest_ms = newest.newest_ms.max(at_ms);
        }
        Ok(())
    }

    /// Returns false if `key` is certainly not in the filter.
    pub(super) fn may_hold(&self, key: &Key) -> bool {
        self.0.iter().any(|part| part.may_hold(key))
    }
}

impl Part {
    fn insert(&mut self, key: &Key) {
        for (word, bit) in places(key) {
            self.bits[word] |= bit;
        }
        self.count += 1;
    }

    fn may_hold(&self, key: &Key) -> bool {
        places(key).all(|(word, bit)| self.bits[word] & bit != 0)
    }
}

/// Returns seven bits of a part: the index of the word, and the mask of the bit.
fn places(key: &Key) -> impl Iterator<Item = (usize, u64)> {
    let (numbers, _) = key.as_chunks::<4>();
    numbers.iter().take(7).map(|number| {
        let place = u32::from_be_bytes(*number) % BITS_PER_PART;
        ((place / WORD) as usize, 1 << (place % WORD))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random key (`SplitMix64`): as uniform as a hash and faster.
    fn key(number: u64) -> Key {
        let mut key = [0; 32];
        for (at, word) in (0..).zip(key.as_chunks_mut::<8>().0) {
            let mut mixed = (4 * number + at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            *word = (mixed ^ (mixed >> 31)).to_be_bytes();
        }
        key
    }

    /// Among 100,000 absent keys, 20 to 149 may be false positives.
    #[test]
    fn filter_has_no_false_negatives() {
        let mut filter = Filter::default();
        assert!(!filter.may_hold(&key(0)), "it is empty");
        let count = KEYS_PER_PART as u64 + 10;
        (0..count).for_each(|number| filter.insert(&key(number), 0).expect("room"));
        assert_eq!(filter.0.len(), 2, "more keys than one part can have");
        assert!((0..count).step_by(7).all(|number| filter.may_hold(&key(number))));
        let taken = (count..count + 100_000).filter(|number| filter.may_hold(&key(*number))).count();
        assert!((20..150).contains(&taken), "{taken} of 100,000");
    }

    #[test]
    fn part_is_dropped_after_its_keys_expire() {
        let mut filter = Filter::default();
        let full = |newest_ms| Part {
            bits: vec![u64::MAX; (BITS_PER_PART / WORD) as usize],
            count: KEYS_PER_PART,
            newest_ms,
        };
        filter.0.extend((0_i64..).take(MAX_PARTS).map(full));
        assert_eq!(filter.insert(&key(1), KEY_RETENTION_MS - 1), Err(FilterFull));
        assert!(filter.may_hold(&key(2)), "an error drops no part");
        assert_eq!(filter.insert(&key(1), KEY_RETENTION_MS), Ok(()));
        assert_eq!(filter.0.len(), MAX_PARTS, "a new part replaces the oldest");
    }
}
