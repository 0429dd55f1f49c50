//! A set of keys that never denies one which it holds, and takes one which it does not hold for its own less than once in
//! a thousand times: a Bloom filter. A key is a hash already, so its bytes are the places.

use crate::Key;
use crate::key::LIFETIME_MS;

/// Bits of a part: 2 MiB.
const BITS: u32 = 1 << 24;
/// Keys of a part: with sixteen bits for each, and seven places, 7 of 10,000 others are taken for one of them.
const KEYS: usize = 1 << 20;
/// Bits of one word of a part.
const WORD: u32 = u64::BITS;
/// The most parts, 64 MiB: what 97 keys in every second make until the oldest of them are forgotten.
const PARTS: usize = 32;
/// How old keys are that no row has any more: the daily purge takes them when they are two to three days old.
const FORGOTTEN_MS: i64 = 4 * LIFETIME_MS;

/// Keys in parts, the newest last; the parts grow in number with the keys and go with their age.
#[derive(Default)]
pub(super) struct Filter(Vec<Part>);

/// As many keys as keep it certain.
struct Part {
    bits: Vec<u64>,
    count: usize,
    /// When the newest of them was recorded.
    newest_ms: i64,
}

/// There are more keys than there is room for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

impl Filter {
    /// Adds `key`, recorded at `at_ms`.
    pub(super) fn insert(&mut self, key: &Key, at_ms: i64) -> Result<(), Full> {
        if self.0.last().is_none_or(|newest| newest.count == KEYS) {
            self.0.retain(|part| part.newest_ms > at_ms - FORGOTTEN_MS);
            if self.0.len() == PARTS {
                return Err(Full);
            }
            self.0.push(Part { bits: vec![0; (BITS / WORD) as usize], count: 0, newest_ms: at_ms });
        }
        if let Some(newest) = self.0.last_mut() {
            newest.insert(key);
            newest.newest_ms = newest.newest_ms.max(at_ms);
        }
        Ok(())
    }

    /// Whether `key` may be one of them; if not, it is none.
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

/// Seven words of a part, and the bit in each.
fn places(key: &Key) -> impl Iterator<Item = (usize, u64)> {
    let (numbers, _) = key.as_chunks::<4>();
    numbers.iter().take(7).map(|number| {
        let place = u32::from_be_bytes(*number) % BITS;
        ((place / WORD) as usize, 1 << (place % WORD))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As even as a hash and quicker: `SplitMix64`.
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

    #[test]
    fn what_it_holds_is_never_denied_and_others_rarely_taken_for_it() {
        let mut filter = Filter::default();
        assert!(!filter.may_hold(&key(0)), "it is empty");
        let count = KEYS as u64 + 10;
        (0..count).for_each(|number| filter.insert(&key(number), 0).expect("room"));
        assert_eq!(filter.0.len(), 2, "more than one part has room for");
        assert!((0..count).step_by(7).all(|number| filter.may_hold(&key(number))));
        let taken = (count..count + 100_000).filter(|number| filter.may_hold(&key(*number))).count();
        assert!((20..150).contains(&taken), "{taken} of 100,000");
    }

    #[test]
    fn parts_go_when_no_row_can_have_their_keys() {
        let mut filter = Filter::default();
        let full = |newest_ms| Part { bits: vec![u64::MAX; (BITS / WORD) as usize], count: KEYS, newest_ms };
        filter.0.extend((0_i64..).take(PARTS).map(full));
        assert_eq!(filter.insert(&key(1), FORGOTTEN_MS - 1), Err(Full));
        assert!(filter.may_hold(&key(2)), "nothing is forgotten for that");
        assert_eq!(filter.insert(&key(1), FORGOTTEN_MS), Ok(()));
        assert_eq!(filter.0.len(), PARTS, "the oldest for a new one");
    }
}
