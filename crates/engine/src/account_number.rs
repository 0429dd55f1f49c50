//! Account numbers of subnets, derived from the position of the subnet's first event in the log.
//!
//! The position is mapped to a place, which no other position of any shard has. The place goes through a keyed
//! permutation (format-preserving encryption), which needs the master key and is the same for all shards. Two subnets
//! therefore never share a number, even if they are created concurrently. Nothing is counted, stored or looked up. A
//! number reveals neither how many numbers exist nor the next one.

use daybook_log::{FIRST_SHARD, Position, Shard};
use daybook_vault::{Purpose, Vault};

use crate::engine::Engine;

/// Half of the range: numbers have twice as many digits as this has zeros, 14.
const HALF_MODULUS: u64 = 10_000_000;
/// Smallest number. It has no leading zero, because programs that read it as a number drop leading zeros.
const FIRST_NUMBER: u64 = HALF_MODULUS * HALF_MODULUS / 10;
/// Number of numbers, and of places. They last for 2,800 years at a thousand events per second in one shard, and for
/// 44 years at a thousand events per second in each of 64 shards.
const RANGE: u64 = HALF_MODULUS * HALF_MODULUS - FIRST_NUMBER;
/// Number of the other shards, 2 to 64.
const OTHER_SHARDS: u64 = 63;
/// Number of Feistel rounds, as NIST SP 800-38G demands.
const ROUNDS: u8 = 10;

impl Engine {
    /// Returns the account number of the subnet whose first event is at `position` of the log of `shard`: 14 digits.
    #[must_use]
    pub fn account_number(&self, shard: Shard, position: Position) -> String {
        number(self.vault(), shard, position)
    }
}

fn number(vault: &Vault, shard: Shard, position: Position) -> String {
    // The permutation of all shards has the number of the first one in its key.
    let mix = |round: u8, half: u64| {
        let parts: [&[u8]; 3] = [&FIRST_SHARD.to_be_bytes(), &[round], &half.to_be_bytes()];
        let mac = vault.mac(Purpose::AccountNumber, &parts);
        mac[..8].iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    };
    walk(HALF_MODULUS, FIRST_NUMBER, place(shard, position), mix).to_string()
}

/// Returns the place of a position, less than [`RANGE`]. Shard 1 takes places from the bottom, the other shards take
/// turns from the top, so that shards with few events leave the places between them free.
fn place(shard: Shard, position: Position) -> u64 {
    let position = position % RANGE;
    match u64::from(shard.unsigned_abs()).checked_sub(2) {
        None => position,
        Some(turn) => RANGE - 1 - (position * OTHER_SHARDS + turn % OTHER_SHARDS) % RANGE,
    }
}

/// Returns the number of a place. The result is at least `first` and less than `half` squared, and different places
/// have different results, for as many places as there are results.
fn walk(half: u64, first: u64, place: u64, mix: impl Fn(u8, u64) -> u64) -> u64 {
    let mut number = first + place % (half * half - first);
    // Cycle walking: starting inside the range, every walk through a permutation returns to the range.
    loop {
        number = permute(half, number, &mix);
        if number >= first {
            return number;
        }
    }
}

/// Permutes the numbers below `half` squared with a Feistel network over their two halves. It is a permutation for
/// every `mix`.
fn permute(half: u64, number: u64, mix: impl Fn(u8, u64) -> u64) -> u64 {
    let (mut left, mut right) = (number / half, number % half);
    for round in 0..ROUNDS {
        (left, right) = (right, (left + mix(round, right) % half) % half);
    }
    left * half + right
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use super::*;
    use crate::bank_login::testing::vault;

    const SHARDS: std::ops::RangeInclusive<Shard> = 1..=64;

    fn mix(round: u8, half: u64) -> u64 {
        half.wrapping_mul(7_919) ^ u64::from(round) << 3
    }

    #[test]
    fn permutation_is_a_bijection() {
        for half in [1, 2, 10, 100] {
            let numbers: BTreeSet<u64> = (0..half * half).map(|number| permute(half, number, mix)).collect();
            assert!(numbers.into_iter().eq(0..half * half), "{half}");
        }
    }

    #[test]
    fn account_numbers_are_unique_and_zero_free() {
        for half in [10, 100] {
            let (first, end) = (half * half / 10, half * half);
            let numbers: BTreeSet<u64> =
                (0..end - first).map(|place| walk(half, first, place, mix)).collect();
            assert!(numbers.into_iter().eq(first..end), "{half}");
            // Some numbers need a second step of the walk; otherwise this test would not cover it.
            assert!((first..end).any(|number| permute(half, number, mix) < first), "{half}");
        }
    }

    /// The expected numbers were computed independently of the code, by the rule of a release that had one shard.
    #[test]
    fn numbers_of_shard_one_are_unchanged() {
        // The last position is the sixth of the second round through the range.
        let positions = [1, 2, 1_000_000, RANGE - 1, RANGE + 5];
        let given =
            ["25159442980836", "25966445972382", "96963221777736", "16153643725528", "97439719080631"];
        let vault = vault();
        assert_eq!(positions.map(|position| number(&vault, FIRST_SHARD, position)), given);
    }

    /// The walk maps different places to different numbers, so that the numbers differ as well.
    #[test]
    fn places_of_all_shards_are_distinct() {
        const POSITIONS: u64 = 100_000;
        // The lowest places, and behind them the highest. Sorting them instead would take a minute.
        let mut is_taken = vec![false; 20_000_000];
        for shard in SHARDS {
            for position in 1..=POSITIONS {
                let place = place(shard, position);
                let index = if place < RANGE / 2 { place } else { 100 * POSITIONS + (RANGE - 1 - place) };
                let index = usize::try_from(index).expect("few places are taken");
                assert!(!std::mem::replace(&mut is_taken[index], true), "place {place} of shard {shard}");
            }
        }
    }

    #[test]
    fn sampled_numbers_of_shards_are_distinct() {
        let vault = vault();
        let numbers: HashSet<String> = SHARDS
            .flat_map(|shard| (1..=100).map(move |position| (shard, position)))
            .map(|(shard, position)| number(&vault, shard, position))
            .collect();
        assert_eq!(numbers.len(), 6_400);
        assert!(numbers.iter().all(|number| number.len() == 14 && !number.starts_with('0')));
    }
}
