//! Account numbers of subnets, derived from the position of the subnet's first event in the log.
//!
//! The position goes through a keyed permutation (format-preserving encryption), which needs the master key. Positions
//! are unique, so two subnets of a shard never share a number, even if they are created concurrently. Nothing is
//! counted, stored or looked up. A number reveals neither how many numbers exist nor the next one.

use daybook_log::{Position, Shard};
use daybook_vault::{Purpose, Vault};

use crate::engine::Engine;

/// Half of the range: numbers have twice as many digits as this has zeros, 14.
const HALF_MODULUS: u64 = 10_000_000;
/// Smallest number. It has no leading zero, because programs that read it as a number drop leading zeros.
/// The range lasts for 2,800 years at a thousand events per second.
const FIRST_NUMBER: u64 = HALF_MODULUS * HALF_MODULUS / 10;
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
    let mix = |round: u8, half: u64| {
        let parts: [&[u8]; 3] = [&shard.to_be_bytes(), &[round], &half.to_be_bytes()];
        let mac = vault.mac(Purpose::AccountNumber, &parts);
        mac[..8].iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    };
    walk(HALF_MODULUS, FIRST_NUMBER, position, mix).to_string()
}

/// Returns the number of a position. The result is at least `first` and less than `half` squared, and different
/// positions have different results, for as many positions as there are results.
fn walk(half: u64, first: u64, position: Position, mix: impl Fn(u8, u64) -> u64) -> u64 {
    let mut number = first + position % (half * half - first);
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
    use std::collections::BTreeSet;

    use super::*;

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
}
